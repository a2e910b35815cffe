#!/bin/sh
# Settings that are secret come as files: /run/secrets/TAISHI_DATA, /run/secrets/TAISHI__MODELS__…
# Each becomes an environment variable of the same name for this process alone. Those that
# TAISHI_EXPECTED_SECRETS names, separated by spaces, must be there: without TAISHI_DATA, for
# example, the memory would be a new, empty folder.
set -eu
folder=${TAISHI_SECRETS:-/run/secrets}
fail() {
  echo "taishi: $1" >&2
  exit 1
}
for name in ${TAISHI_EXPECTED_SECRETS:-}; do
  [ -f "$folder/$name" ] && [ -s "$folder/$name" ] || fail "the secret $folder/$name is missing or empty; check its name and mount / 缺少密钥文件或文件为空：请检查其名称与挂载"
done
for file in "$folder"/*; do
  name=${file##*/}
  case "$name" in
    *[!A-Z0-9_]*) continue ;;
    TAISHI_* | AWS_*)
      [ -e "$file" ] || continue
      [ -r "$file" ] || fail "the secret $file cannot be read by user $(id -u); correct its mode or owner / 当前用户无法读取该密钥文件：请修改其权限或所有者"
      value=$(cat "$file")
      export "$name=$value"
      ;;
  esac
done
unset TAISHI_EXPECTED_SECRETS
exec taishi "$@"
