#!/usr/bin/env bash
# Makes the certificate authority and the server's certificate that tests of TLS
# use; they hold for 100 years, for 127.0.0.1 and localhost, and are no secret.
set -euo pipefail
cd "$(dirname "$0")/../test/fixtures/tls"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 \
  -subj "/CN=mcp-run-python test authority" \
  -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign" \
  -keyout authority.key -out authority.pem
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
  -subj "/CN=localhost" -keyout server.key -out server.csr
openssl x509 -req -in server.csr -CA authority.pem -CAkey authority.key -days 36500 \
  -extfile <(printf "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE") \
  -out server.pem
rm -f server.csr authority.key authority.srl
