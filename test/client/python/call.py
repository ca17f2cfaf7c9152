"""Calls a running API by the generated client: creates a user, reads it again, and is refused once. Prints JSON."""

import json
import os

from cardwright_client import Client
from cardwright_client.api.users import create_user, get_user
from cardwright_client.models import CreateUserBody, Error, User

client = Client(
    base_url=os.environ["BASE_URL"],
    headers={"x-client-id": os.environ["ID"], "x-client-secret": os.environ["SECRET"]},
)
user = create_user.sync(client=client, body=CreateUserBody(external_id="ada"), x_idempotency_key="user-ada")
assert isinstance(user, User), user
same = get_user.sync(user.id, client=client)
assert isinstance(same, User), same
missing = get_user.sync("usr_unknown", client=client)
assert isinstance(missing, Error), missing
print(json.dumps([same.to_dict(), missing.to_dict()]))
