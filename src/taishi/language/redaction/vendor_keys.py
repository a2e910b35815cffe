"""Rules for API keys that are recognised by prefix, length and alphabet.

One line a kind: the label, what must occur in the text for the line to be looked at, and the
pattern. `~` before a pattern stands for an edge: no letter or digit right before it, which kinds
with a short prefix need. A pattern ends with an open count, so that no tail of a key is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

Check = Callable[[re.Match[str]], bool]

_EDGE = "(?<![A-Za-z0-9])"
_ALPHABETS = {
    "A": "[A-Za-z0-9]",
    "W": "[A-Za-z0-9_-]",
    "H": "[0-9a-f]",
    "U": "[A-Z0-9]",
    "B": "[A-Za-z0-9+/]",
    "L": "[a-z0-9]",
    "D": "[0-9]",
}
_UUID = "<H>{8}-<H>{4}-<H>{4}-<H>{4}-<H>{12}"


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(pattern, flags)


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, tried only when one of its literals occurs. Group 1, if any, is the span."""

    label: str
    literals: tuple[str, ...]
    pattern: str
    check: Check | None = None

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        pattern = compiled(self.pattern)
        group = 1 if pattern.groups else 0
        for match in pattern.finditer(text):
            if self.check is None or self.check(match):
                yield match.start(group), match.end(group), self.label


def apply(rules: tuple[Rule, ...], text: str, haystack: str) -> Iterator[tuple[int, int, str]]:
    for rule in rules:
        for literal in rule.literals:
            if literal in haystack:
                yield from rule.find(text)
                break


def _glued(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 1) : match.start()]
    return before.isascii() and before.isalnum()


def _random_looking(match: re.Match[str]) -> bool:
    """Tells `sk-…` keys from hyphenated words: keys hold a long run of mixed characters."""
    least = 20 if _glued(match) else 10
    runs = [r for r in re.split("[_-]", match[0]) if len(r) >= least]
    mixed = any(re.search("[0-9]", r) or not (r.islower() or r.isupper()) for r in runs)
    return (mixed or _is_uuid(match[0][-36:])) and _filled(match)


def _is_uuid(text: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", text) is not None


def _filled(match: re.Match[str]) -> bool:
    """A row of x, or words such as `your_token_here`, hold the place of a key."""
    tail = _PREFIX.sub("", match[0]) if _PREFIX.match(match[0]) else match[0][4:]
    if not tail.strip("xX*._-"):
        return False
    return re.fullmatch(r"(?:.*[_-])?(?:your|my|some|insert)[_-][a-zA-Z_-]+", tail) is None


_PREFIX = re.compile(r"[A-Za-z0-9]{2,12}[-_.]")


def _json_web_token(match: re.Match[str]) -> bool:
    return ".eyJ" in match[0] or ("." in match[0] and not _glued(match))


def _both(match: re.Match[str]) -> bool:
    """Letters in both cases and a digit, or a digit and a letter in a hex run: no word is so."""
    tail = match[0][4:]
    return _filled(match) and any(c.isdigit() for c in tail) and any(c.isalpha() for c in tail)


def _mixed(match: re.Match[str]) -> bool:
    tail = match[0][4:]
    return _both(match) and not tail.islower() and not tail.isupper()


def _not_a_digest(match: re.Match[str]) -> bool:
    """64 bytes in base64 are a storage key, or a checksum that says so."""
    return not match.string[: match.start()].endswith(("sha512-", "sha512:", "SHA512:", "sha512,"))


_TABLE: tuple[tuple[str, str, str, Check | None], ...] = (
    ("anthropic-key", "sk-ant-", "sk-ant-<W>{16,}", _filled),
    ("openai-key", "sk-proj- sk-svcacct-", "sk-(?:proj|svcacct)-<W>{16,}", _filled),
    ("openrouter-key", "sk-or-", "sk-or-<W>{16,}", _random_looking),
    ("openai-key", "sk-", "sk-<W>{16,}", _random_looking),
    ("google-key", "AIza", "AIza<W>{30,}", _filled),
    ("google-token", "ya29.", "ya29\\.[A-Za-z0-9_.-]{16,}", _filled),
    ("google-secret", "GOCSPX-", "GOCSPX-<W>{16,}", _filled),
    ("google-token", "1//0", "(?<![A-Za-z0-9_/:.])1//0<W>{30,}", None),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[pousr]_[A-Za-z0-9_]{20,}", _filled),
    ("github-token", "github_pat_", "github_pat_[A-Za-z0-9_]{20,}", _filled),
    (
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glcbt- glsoat- glft- gloas- glagent- glimt- glffct-",
        "gl(?:pat|ptt|dt|rt|cbt|soat|ft|oas|agent|imt|ffct)-[A-Za-z0-9_.-]{16,}",
        _filled,
    ),
    ("gitlab-token", "GR1348941", "GR1348941<W>{16,}", None),
    ("slack-token", "xox", "xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{12,}", _filled),
    ("slack-token", "xapp-", "xapp-[A-Za-z0-9-]{20,}", _filled),
    ("slack-webhook", "hooks.slack.com/", "hooks\\.slack\\.com/[a-z]+/([A-Za-z0-9/_-]{16,})", None),
    ("stripe-key", "_live_ _test_", "[sr]k_(?:live|test)_[A-Za-z0-9]{12,}", _filled),
    ("stripe-secret", "whsec_", "whsec_[A-Za-z0-9+/=]{16,}", _filled),
    ("aws-key", "AKIA ASIA ABIA ACCA", "(?<![A-Z0-9])A(?:KI|SI|BI|CC)A<U>{16,}", _filled),
    (
        "aws-secret",
        "AKIA ASIA",
        "(?<![A-Z0-9])A(?:KI|SI)A<U>{16}(?![A-Za-z0-9])[\\s\\S]{1,60}?"
        "(?<![A-Za-z0-9+/])(<B>{40})(?![A-Za-z0-9+/=])",
        _mixed,
    ),
    ("aws-key", "ABSK", "~ABSK<B>{60,}={0,2}", _both),
    ("aws-key", "amzn.mws.", f"amzn\\.mws\\.{_UUID}", None),
    ("aliyun-key", "LTAI", "~LTAI<A>{12,}", _filled),
    ("aliyun-key", "STS.", "~STS\\.N[A-Za-z]<A>{18,}", None),
    ("tencent-key", "AKID", "~AKID<A>{13,}", _filled),
    ("volcengine-key", "AKLT", "~AKLT<A>{20,}", _filled),
    ("baidu-key", "bce-v3/", "bce-v3/<A>{3,12}-<A>{16,40}/<H>{32,}", None),
    ("baidu-key", "ALTAK", "~ALTAK<A>{17,}", None),
    ("huggingface-token", "hf_ api_org_", "~(?:hf_|api_org_)<A>{20,}", _filled),
    ("telegram-token", ":AA", "(?<![0-9])<D>{6,12}:AA<W>{30,}", None),
    ("discord-token", ".", "(?<![A-Za-z0-9_-])[MNO]<W>{22,32}\\.<W>{5,8}\\.<W>{25,}", None),
    ("discord-webhook", "/api/webhooks/", "/api/webhooks/<D>{10,25}/(<W>{20,})", None),
    ("feishu-webhook", "/open-apis/bot/", "/open-apis/bot/v2/hook/([A-Za-z0-9-]{16,})", None),
    ("npm-token", "npm_", "npm_<A>{20,}", _filled),
    ("pypi-token", "pypi-Ag", "pypi-Ag<W>{16,}", None),
    ("rubygems-key", "rubygems_", "rubygems_<H>{40,}", None),
    ("nuget-key", "oy2", "~oy2<L>{40,}", _both),
    ("clojars-token", "CLOJARS_", "CLOJARS_<L>{40,}", None),
    ("crates-token", "cio", "~cio<A>{32}(?![A-Za-z0-9])", _mixed),
    ("sendgrid-key", "SG.", "SG\\.<W>{16,}\\.<W>{16,}", None),
    ("brevo-key", "xkeysib-", "xkeysib-<H>{40,}-<A>{8,}", None),
    ("mailchimp-key", "-us", "~<H>{32}-us<D>{1,2}(?![A-Za-z0-9])", None),
    ("mailgun-key", "key-", "~key-<H>{32,}", None),
    ("resend-key", "re_", "~re_<A>{6,10}_<A>{20,}", _mixed),
    ("twilio-key", "SK", "~SK<H>{32,}", None),
    ("zhipu-key", ".", "~<H>{32}\\.<A>{16,}", None),
    ("digitalocean-token", "_v1_", "do[opr]_v1_<H>{32,}", None),
    ("shopify-token", "shp", "shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{20,}", None),
    ("groq-key", "gsk_", "gsk_<A>{20,}", _filled),
    ("xai-key", "xai-", "~xai-<A>{20,}", _filled),
    ("perplexity-key", "pplx-", "~pplx-<A>{20,}", _filled),
    ("replicate-token", "r8_", "~r8_<A>{20,}", _filled),
    ("nvidia-key", "nvapi-", "nvapi-<W>{20,}", _filled),
    ("tavily-key", "tvly-", "tvly-<W>{16,}", _filled),
    ("cerebras-key", "csk-", "~csk-<A>{30,}", _filled),
    ("fireworks-key", "fw_", "~fw_<A>{22,}", _mixed),
    ("elevenlabs-key", "sk_", "~sk_<H>{40,}", None),
    ("voyage-key", "pa-", "~pa-<W>{40,}", _mixed),
    ("jina-key", "jina_", "jina_<A>{30,}", _filled),
    ("firecrawl-key", "fc-", "~fc-<H>{32,}", None),
    ("together-key", "tgp_v1_", "tgp_v1_<W>{30,}", _filled),
    ("posthog-key", "phx_ phs_", "~ph[xs]_<A>{32,}", _filled),
    ("coze-token", "pat_", "~pat_<A>{40,}", _mixed),
    ("dify-key", "app- dataset-", "~(?:app|dataset)-<A>{24}(?![A-Za-z0-9_-])", _mixed),
    ("notion-token", "ntn_", "ntn_<A>{20,}", _filled),
    ("notion-token", "secret_", "~secret_<A>{40,}", _mixed),
    ("linear-key", "lin_api_ lin_oauth_", "lin_(?:api|oauth)_<A>{20,}", _filled),
    ("pinecone-key", "pcsk_", "pcsk_[A-Za-z0-9_]{20,}", _filled),
    ("langsmith-key", "lsv2_", "lsv2_[A-Za-z0-9_]{20,}", _filled),
    ("docker-token", "dckr_pat_ dckr_oat_", "dckr_[po]at_<W>{16,}", _filled),
    ("atlassian-token", "ATATT3 ATCTT3", "AT[AC]TT3[A-Za-z0-9_=-]{20,}", None),
    ("bitbucket-password", "ATBB", "~ATBB<A>{28,}", _mixed),
    ("databricks-token", "dapi", "~dapi<H>{32,}(?:-<D>)?", None),
    ("vault-token", "hvs. hvb. hvr.", "~hv[sbr]\\.<W>{20,}", None),
    ("vault-token", "s.", "~s\\.<A>{24}(?![A-Za-z0-9])", _mixed),
    ("terraform-token", ".atlasv1.", "~<A>{14}\\.atlasv1\\.<W>{40,}", None),
    ("grafana-token", "glsa_ glc_", "gl(?:sa|c)_[A-Za-z0-9+/=_]{20,}", _filled),
    ("facebook-token", "EAA", "~EAA<A>{40,}", None),
    ("square-token", "EAAA", "~EAAA<W>{56,}", _mixed),
    ("square-secret", "sq0", "~sq0[a-z]{3}-<W>{20,}", None),
    ("instagram-token", "IG", "~IG(?:QVJ|QWR|AA)<W>{80,}", None),
    ("age-key", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1<U>{20,}", None),
    ("planetscale-token", "pscale_", "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{30,}", None),
    ("postman-key", "PMAK-", "PMAK-<H>{24}-<H>{30,}", None),
    ("pulumi-token", "pul-", "~pul-<H>{40,}", None),
    ("doppler-token", "dp.", "~dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:<W>{2,40}\\.)?<A>{40,}", None),
    ("dynatrace-token", "dt0", "~dt0[a-zA-Z]<D>{2}\\.<U>{24}\\.<U>{60,}", None),
    ("newrelic-key", "NRAK- NRJS- NRII- NRAL-", "~NR(?:AK|JS|II|AL)-<W>{19,}", None),
    ("shippo-token", "shippo_", "shippo_(?:live|test)_<H>{40,}", None),
    ("easypost-key", "EZAK EZTK", "~EZ[AT]K<A>{54,}", None),
    ("duffel-token", "duffel_", "duffel_(?:live|test)_[A-Za-z0-9_=-]{40,}", None),
    ("flutterwave-key", "FLWSECK", "FLWSECK(?:_TEST)?-<A>{12,}(?:-X)?", None),
    ("frameio-token", "fio-u-", "~fio-u-[A-Za-z0-9_=-]{40,}", None),
    ("readme-key", "rdme_", "rdme_<L>{60,}", None),
    ("sentry-token", "sntryu_ sntrys_", "sntry[us]_[A-Za-z0-9+/=_-]{40,}", None),
    ("sourcegraph-token", "sgp_", "~sgp_(?:<A>{16}_)?<H>{40,}", None),
    ("typeform-token", "tfp_", "~tfp_[A-Za-z0-9_.=-]{40,}", None),
    ("contentful-token", "CFPAT-", "CFPAT-<W>{40,}", None),
    ("adobe-secret", "p8e-", "~p8e-<A>{32,}", _both),
    ("airtable-token", "pat", "~pat<A>{14}\\.<H>{60,}", None),
    (
        "azure-secret",
        "Q~",
        "(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}<D>Q~[A-Za-z0-9_~.-]{31,34}",
        None,
    ),
    ("azure-key", "==", "(?<![A-Za-z0-9+/])<B>{86}==(?!=)", _not_a_digest),
    ("artifactory-key", "AKCp", "~AKCp<A>{60,}", None),
    ("artifactory-token", "cmVmdGtuO", "~cmVmdGtuO<W>{50,}", None),
    ("heroku-key", "HRKU-", "HRKU-<W>{36,}", None),
    ("hubspot-token", "pat-", f"~pat-[a-z]{{2}}<D>-{_UUID}", None),
    ("infracost-key", "ico-", "~ico-<A>{32}(?![A-Za-z0-9])", _mixed),
    ("fly-token", "fm1 fm2_ fo1_", "~(?:fm1[ar]_|fm2_|fo1_)[A-Za-z0-9+/=_,-]{40,}", None),
    ("prefect-key", "pnu_", "~pnu_<A>{30,}", None),
    ("openshift-token", "sha256~", "sha256~<W>{40,}", None),
    ("octopus-key", "API-", "~API-<U>{26}(?![A-Za-z0-9])", _both),
    ("onepassword-token", "ops_eyJ", "ops_eyJ<B>{40,}={0,3}", None),
    ("onepassword-key", "A3-", "~A3-<U>{6}-(?:<U>{11}|<U>{6}-<U>{5})(?:-<U>{5}){3}", None),
    ("supabase-key", "sbp_ sb_secret_", "~(?:sbp_(?:v0_)?<H>{40,}|sb_secret_<W>{20,})", None),
    ("netlify-token", "nfp_", "~nfp_<A>{30,}", None),
    ("render-key", "rnd_", "~rnd_<A>{24,}", _mixed),
    ("razorpay-key", "rzp_", "~rzp_(?:live|test)_<A>{14,}", None),
    ("paddle-key", "pdl_", "pdl_(?:live|sdbx)_apikey_[A-Za-z0-9_]{30,}", None),
    ("figma-token", "figd_ figo_", "fig[do]_<W>{30,}", None),
    ("asana-token", "/", "(?<![0-9/])[12]/<D>{12,20}(?:/<D>{12,20})?:<H>{32,}", None),
    ("dropbox-token", "sl.", "~sl\\.(?:u\\.)?<W>{60,}", None),
    ("tailscale-key", "tskey-", "tskey-[a-z]{3,8}-<A>{8,}-<A>{16,}", None),
    ("mapbox-token", "sk.eyJ", "~sk\\.eyJ<W>{40,}\\.<W>{16,}", None),
    ("yandex-key", "AQVN", "~AQVN<W>{30,}", None),
    ("scalingo-token", "tk-us-", "~tk-us-<W>{40,}", None),
    ("settlemint-token", "sm_", "~sm_(?:pat|aat|sat)_<A>{16,}", None),
    ("harness-token", "pat. sat.", "~[ps]at\\.<W>{22}\\.<H>{24}\\.<A>{20}", None),
    ("rapidapi-key", "msh", "~<H>{10}msh<H>{15}p1<H>{6}jsn<H>{12}", None),
    ("maxmind-key", "_mmk", "~<A>{6}_<A>{29}_mmk", None),
    ("jwt", "eyJ", "eyJ<W>{13,}+(?:\\.<W>{8,}+(?:\\.<W>*+){0,4})?", _json_web_token),
)


def _rule(label: str, literals: str, pattern: str, check: Check | None) -> Rule:
    for name, alphabet in _ALPHABETS.items():
        pattern = pattern.replace(f"<{name}>", alphabet)
    if pattern.startswith("~"):
        pattern = _EDGE + pattern[1:]
    return Rule(label, tuple(literals.split()), pattern, check)


VENDOR_RULES: tuple[Rule, ...] = tuple(_rule(*line) for line in _TABLE)
