"""Words that a text must contain before the rules for a kind of secret are run.

Most texts have none of them, and then the patterns that follow need not even be compiled.
"""

from __future__ import annotations

ENGLISH = (
    "pass", "pw", "p/w", "pin", "otp", "cvv", "cvc", "code", "combination", "key", "token",
    "secret", "cred", "phrase", "mnemonic", "login", "security ", "combo", "pasw", "paswd", "psw",
    "psswrd", " words", "puk", "authenticator",
)  # fmt: skip
# Locks, and cards of which only the digits on the back are told.
LOCKS = (
    "lock", "safe", "vault", "alarm", "security system", "gate", "garage", "door", "intercom",
    "key box", "keybox", "key pad", "keypad", "entrance", "entry", "shed", "suitcase", "briefcase",
    "barrier", "digit", "phone", "ipad", "tablet", "laptop", "computer", "watch",
    "numbers on", "combination", "combo", "dial",
)  # fmt: skip
CHINESE_LOCKS = (
    "锁", "门", "箱", "柜", "盒", "报警", "警报", "安防", "防盗", "撤防", "布防", "车库", "闸机",
    "对讲", "背面", "后面", "反面", "正面", "签名", "输", "按", "转",
)  # fmt: skip
CHANGES = ("pasw", "pass", "pw", "pin", "account", "login", "log in", "sign in", "logged in")
CHINESE_CHANGES = ("密码", "口令", "pin")
ROUTERS = ("wifi", "wi-fi", "router", "路由器", "后台", "热点", "无线")
CHINESE = (
    "密", "秘钥", "私钥", "口令", "码", "令牌", "助记词", "后三位", "账密", "帐密", "凭证", "token",
    "key", "pin", "cvv", "cvc", "puk", "验证器",
)  # fmt: skip
COMMANDS = (
    "mysql", "mariadb", "sshpass", "redis-cli", "mongo", "docker", "podman", "nerdctl", "helm",
    "az ", "oc ", "7z", "rar", "zip ", "openssl", "keytool", "jarsigner", "ldap", "rdesktop",
    "winexe", "xfreerdp", "sqlcmd", "bcp ", "plink", "pscp", "psftp", "snmpget", "svn ", "sudo -s",
    "chpasswd", "identified", "password", "smbclient", "htpasswd", "wpa_passphrase", "net use",
    "nmcli", "wpa_cli", "networksetup", "ipmitool", "psexec", "lftp", "net user", "vault login",
    "sqlplus", "insert into", "aws configure", "jdbc:oracle", "://",
)  # fmt: skip
