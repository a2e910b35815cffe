"""Names of software and services that one changes as one changes a home: "moved from Vim to Helix",
我们从Jira搬到飞书了."""

from __future__ import annotations

from .lazy_regex import lazy_compile

MOST_CHARS = 80
_NAMES = frozenset(
    """
    vim neovim nvim helix emacs spacemacs zed kakoune sublime atom cursor windsurf copilot nano
    eclipse intellij pycharm webstorm jetbrains xcode vscode vscodium fleet rider goland notepad
    fish zsh bash nushell powershell tmux zellij kitty alacritty ghostty wezterm iterm warp
    linux ubuntu debian fedora arch archlinux nixos nix mint gentoo freebsd openbsd windows mac
    macos ios android chromeos wsl gnome kde wayland hyprland sway i3
    chrome firefox safari edge brave vivaldi opera arc duckduckgo bing google kagi
    jira linear asana trello notion obsidian logseq roam evernote onenote todoist confluence
    clickup basecamp monday airtable coda craft anki slack teams discord zoom telegram whatsapp
    signal skype mastodon bluesky twitter facebook instagram threads reddit tiktok matrix element
    outlook gmail fastmail protonmail proton thunderbird hey icloud dropbox onedrive
    git github gitlab bitbucket gitea forgejo codeberg jujutsu mercurial perforce subversion
    python java javascript typescript rust go golang kotlin swift scala haskell elixir clojure ruby
    php perl lua dart zig julia fortran cobol c
    react vue svelte angular solid astro next nuxt remix rails django flask fastapi laravel spring
    tailwind bootstrap jquery electron tauri flutter
    postgres postgresql mysql mariadb sqlite mongodb redis valkey kafka nats rabbitmq cassandra
    elasticsearch opensearch snowflake bigquery databricks clickhouse duckdb oracle
    docker podman kubernetes nomad terraform pulumi ansible puppet chef jenkins circleci buildkite
    aws azure gcp heroku vercel netlify cloudflare hetzner digitalocean supabase firebase
    npm pnpm yarn bun deno node poetry uv pip conda bazel make cmake gradle maven ninja webpack
    vite rollup esbuild jest vitest pytest unittest mocha eslint biome prettier ruff black mypy
    figma sketch photoshop gimp inkscape blender unity unreal godot lightroom darktable affinity
    excel sheets word pages libreoffice latex typst markdown overleaf zotero
    chatgpt claude gemini openai anthropic llama mistral deepseek perplexity qwen kimi
    spotify netflix youtube tidal deezer kindle kobo playstation xbox nintendo steam iphone pixel
    samsung salesforce hubspot zendesk intercom shopify wordpress stripe paypal revolut monzo wise
    apple microsoft nginx caddy traefik apache
    n26 vodafone verizon comcast
    飞书 钉钉 企业微信 微信 支付宝 语雀 印象笔记 有道云笔记 石墨 石墨文档 腾讯文档 腾讯会议 鸿蒙
    安卓 苹果 微博 小红书 抖音 快手 知乎 豆瓣 哔哩哔哩 阿里云 腾讯云 华为云 百度云 码云 豆包
    文心一言 通义千问 网易云 网易云音乐 禅道 剪映
    """.split()
)
# "TypeScript", "VSCode", "Next.js", "C++"; not "McAllen", "LaSalle", nor "USA".
_SHAPE = lazy_compile(
    r"(?:(?!Mc|Mac|De|Di|La|Le|Du|O['’])[A-Za-z]*[a-z][A-Z]\w*|[A-Z]{2,}[a-z]\w*"
    r"|[A-Za-z]\S*(?:\d|\+\+|#|\.(?:js|io|ai|app|dev|net)))"
)
# What is moved to or from is then a tool, whatever it is called.
_SETTING = lazy_compile(
    r"(?i)\b(?:key ?bindings?|plugins?|editors?|ides?|shell|terminal|repos?|repositor\w+|codebase"
    r"|code|config\w*|dotfiles?|frameworks?|librar(?:y|ies)|database|lint\w*|tickets?|tracker|backlog"
    r"|browser|apps?|software|operating system|distro|laptop|notes|syntax|build|deploy\w*|ci"
    r"|migrat\w+|workflow|settings|accounts?|subscription)\b"
    r"|快捷键|插件|编辑器|终端|代码|配置|框架|数据库|浏览器|软件|笔记|工单|账号|系统|迁移|部署"
)


def is_software_name(name: str) -> bool:
    """Whether the name, or its first or last word ("Sublime Text", "Google Docs"), is known as
    software, or it is spelled as only such names are."""
    words = name[:MOST_CHARS].strip(" .,，。").split()
    if not words:
        return False
    if " ".join(words).lower() in _NAMES or words[0].lower() in _NAMES:
        return True
    return any(_SHAPE.fullmatch(word) is not None for word in words)


def speaks_of_software(text: str) -> bool:
    """Whether a text has words of what one does with software."""
    return _SETTING.search(text) is not None
