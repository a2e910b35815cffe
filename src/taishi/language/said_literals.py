"""Words without which a text holds no secret of a kind: looked for before any rule is loaded.

Most texts have none of them, and then the patterns that follow need not even be compiled.
"""

from __future__ import annotations

ENGLISH = (
    "pass", "pw", "p/w", "pin", "otp", "cvv", "cvc", "code", "combination", "key", "token",
    "secret", "cred", "phrase", "mnemonic", "login", "security question",
)  # fmt: skip
CHINESE = (
    "密", "秘钥", "私钥", "口令", "码", "令牌", "助记词", "后三位", "账密", "帐密", "凭证", "token",
    "key", "pin", "cvv", "cvc",
)  # fmt: skip
COMMANDS = (
    "mysql", "mariadb", "sshpass", "redis-cli", "mongo", "docker", "podman", "nerdctl", "helm",
    "az ", "oc ", "7z", "rar", "zip ", "openssl", "keytool", "jarsigner", "ldap", "rdesktop",
    "winexe", "xfreerdp", "sqlcmd", "bcp ", "plink", "pscp", "psftp", "snmpget", "svn ", "sudo -s",
    "chpasswd", "identified", "password", "smbclient", "htpasswd", "wpa_passphrase", "net use",
    "vault login", "sqlplus", "insert into", "aws configure", "jdbc:oracle", "://",
)  # fmt: skip
