"""Signs in with Debian's Authlib, as its documentation shows. Prints the authorization URL, reads the callback URL."""
import json
import sys

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import OpenIDProviderMetadata, get_well_known_url

issuer, client_id, client_secret, redirect_uri = sys.argv[1:]

metadata = OpenIDProviderMetadata(requests.get(get_well_known_url(issuer, external=True)).json())
code_verifier = generate_token(48)
nonce = generate_token(20)
session = OAuth2Session(
    client_id,
    client_secret,
    redirect_uri=redirect_uri,
    scope="openid profile:read points:read",
    code_challenge_method="S256",
    token_endpoint_auth_method="client_secret_basic",
)
url, state = session.create_authorization_url(
    metadata["authorization_endpoint"], code_verifier=code_verifier, nonce=nonce
)
print(url, flush=True)

callback = sys.stdin.readline().strip()
token = session.fetch_token(
    metadata["token_endpoint"], authorization_response=callback, state=state, code_verifier=code_verifier
)


def verified(id_token, **params):
    keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"]).json())
    claims = jwt.decode(
        id_token,
        keys,
        claims_cls=CodeIDToken,
        claims_options={"iss": {"value": issuer}, "aud": {"value": client_id}},
        claims_params={"client_id": client_id, **params},
    )
    claims.validate(leeway=120)
    return claims


claims = verified(token["id_token"], nonce=nonce, access_token=token["access_token"])
user = session.get(metadata["userinfo_endpoint"]).json()
renewed = session.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
again = verified(renewed["id_token"], access_token=renewed["access_token"])
print(json.dumps({"claims": claims, "user": user, "again": again["sub"], "access_token": renewed["access_token"]}))
