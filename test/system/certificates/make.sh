#!/bin/sh
# Makes the certificates of the tests anew, for a hundred years: a CA, a server at 127.0.0.1 and localhost, and a client.
set -eu
cd "$(dirname "$0")"
openssl ecparam -name prime256v1 -genkey -noout -out ca-key.pem
openssl req -x509 -new -key ca-key.pem -subj '/CN=Isthmus tests' -days 36500 -out ca.pem
for name in server client; do
  openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$name-key.pem"
  openssl req -new -key "$name-key.pem" -subj "/CN=$name" -out "$name.csr"
  printf 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:temporal.example' >"$name.ext"
  openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 36500 -extfile "$name.ext" -out "$name.pem"
done
rm ca-key.pem ca.srl ./*.csr ./*.ext
