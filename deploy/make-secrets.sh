#!/bin/sh
# Writes the secrets that compose.yaml needs into /run/secrets, each where there is none yet: what is there is never changed. Then copies
# those that a container needs into its folder.
set -eu
umask 077
cd /run/secrets

# 32 random bytes, in a form that needs no escaping in a URL.
random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

# Writes the standard input into a file unless it exists; never half of it.
keep() {
  if [ -s "$1" ]; then
    cat >/dev/null
    return
  fi
  cat >"$1.new"
  mv "$1.new" "$1"
  echo "made $1"
}

random | keep database_password
printf 'postgres://plaza:%s@postgres/plaza' "$(cat database_password)" | keep database_url
random | keep secret_keys
random | head -c 24 | keep admin_password

# Copies the named files, those that exist, into the folder of the containers that need only them.
give() {
  folder=$1
  shift
  rm -f "$folder"/*
  for name; do
    if [ -f "$name" ]; then cp "$name" "$folder/$name"; fi
  done
}

give /run/secrets-postgres database_password
# Worker and router: all but these, with the secrets that you have added.
set --
for name in *; do
  case $name in admin_password | database_password | *.new) ;; *) set -- "$@" "$name" ;; esac
done
give /run/secrets-hosting "$@"
