#!/bin/sh
# Makes an authority and a certificate for each server: make_certificates.sh FOLDER NAME...
# Keep FOLDER/ca.key away from the servers. Workers need FOLDER/ca.crt alone.
set -eu
folder=$1
shift
mkdir -p "$folder"
[ -f "$folder/ca.key" ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \
  -subj "/CN=Taskfold cluster" -keyout "$folder/ca.key" -out "$folder/ca.crt" 2>/dev/null
for name in "$@"; do
  own=$folder/$name
  mkdir -p "$own"
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$name" \
    -keyout "$own/server.key" -out "$own/server.csr" 2>/dev/null
  # It is a client, too, when it joins the others.
  printf 'subjectAltName=DNS:%s,DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n' "$name" >"$own/server.ext"
  openssl x509 -req -in "$own/server.csr" -CA "$folder/ca.crt" -CAkey "$folder/ca.key" -CAcreateserial -days 825 \
    -extfile "$own/server.ext" -out "$own/server.crt" 2>/dev/null
  rm "$own/server.csr" "$own/server.ext"
  cp "$folder/ca.crt" "$own/ca.crt"
done
