#!/bin/sh
# Settings that are secret come as files: /run/secrets/TAISHI_DATA, /run/secrets/TAISHI__MODELS__…
# Each becomes an environment variable of the same name for this process alone.
set -eu
for file in "${TAISHI_SECRETS:-/run/secrets}"/*; do
  name=${file##*/}
  case "$name" in
    *[!A-Z0-9_]*) continue ;;
    TAISHI_* | AWS_*) [ -r "$file" ] && export "$name=$(cat "$file")" ;;
  esac
done
exec taishi "$@"
