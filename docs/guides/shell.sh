# Commands of the guides, for bash and zsh. Load them by `. docs/guides/shell.sh`, in the folder where `npm start` runs.
# call: curl as the demo client, for a path; admin: curl as the demo admin; field: prints a part of the JSON on its input, as `field .id`.

credential() { node -p "require(require('path').resolve(process.env.DATA_DIR || '.data', 'credentials.json'))$1"; }
BASE_URL=$(credential .baseUrl)
ID=$(credential .client.clientId)
SECRET=$(credential .client.clientSecret)
ADMIN_ID=$(credential .admin.clientId)
ADMIN_SECRET=$(credential .admin.clientSecret)

# A path is one of the product that the credentials name.
url_of() { case $1 in /*) printf '%s' "$BASE_URL$1" ;; *) printf '%s' "$1" ;; esac; }
as() { local id=$1 secret=$2 url; url=$(url_of "$3"); shift 3; curl -s "$url" -w '\n' "$@" -H "x-client-id: $id" -H "x-client-secret: $secret" -H 'content-type: application/json'; }
call() { as "$ID" "$SECRET" "$@"; }
admin() { as "$ADMIN_ID" "$ADMIN_SECRET" "$@"; }
field() { node -p "JSON.parse(require('fs').readFileSync(0))$1"; }
