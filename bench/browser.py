"""An OAuth client and its user's browser in one: registers, logs in on the real pages, allows, and gets its tokens."""
import base64
import hashlib
import html
import http.client
import json
import re
import secrets
import urllib.parse

REDIRECT = "http://127.0.0.1:1/callback"  # nothing listens there: the code is read from the Location header
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
TICKED = re.compile(r'<input type="(?:checkbox|radio)" name="(\w+)" value="([^"]*)" checked')


class NotAsExpected(Exception):
    """A step was answered otherwise than it has to be."""


class Browser:
    """One connection; `address` is what a proxy in front would say about where it comes from."""

    def __init__(self, port, address=None, timeout=120):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        self.forwarded = {"X-Forwarded-For": address} if address else {}
        self.cookies = {}

    def send(self, method, path, body=None, headers=None):
        """(status, headers, text); redirects are not followed, cookies are kept."""
        cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        self.connection.request(method, path, body, {**self.forwarded, **cookies, **(headers or {})})
        answer = self.connection.getresponse()
        text = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, answer.headers, text

    def expect(self, wanted, method, path, body=None, headers=None):
        status, answered, text = self.send(method, path, body, headers)
        if status != wanted:
            raise NotAsExpected(f"{method} {path.partition('?')[0]}: {status} instead of {wanted}: {' '.join(text.split())[:200]}")
        return answered, text

    def post_form(self, wanted, path, fields):
        return self.expect(wanted, "POST", path, urllib.parse.urlencode(fields), FORM)

    def register(self, name="bench"):
        about = {"client_name": name, "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"}
        _, text = self.expect(201, "POST", "/oauth/register", json.dumps(about), {"Content-Type": "application/json"})
        return json.loads(text)["client_id"]

    def begin(self, client):
        """Opens the login page; what its form holds, and the verifier for the exchange."""
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": client,
            "redirect_uri": REDIRECT,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "state": "bench",
        }
        _, page = self.expect(200, "GET", f"/oauth/authorize?{urllib.parse.urlencode(asked)}")
        return hidden_fields(page), verifier

    def fail(self, form, name, password):
        self.post_form(400, "/oauth/authorize", {**form, "username": name, "password": password})

    def allow(self, form, name, password):
        """Logs in and ticks everything on the consent page; returns the code."""
        answered, _ = self.post_form(303, "/oauth/authorize", {**form, "username": name, "password": password})
        _, page = self.expect(200, "GET", answered["Location"])
        decision = [*hidden_fields(page).items(), *ticked_fields(page), ("decision", "allow")]
        answered, _ = self.post_form(303, "/oauth/consent", decision)
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(answered["Location"]).query)
        return query["code"][0]

    def exchange(self, client, code, verifier):
        fields = {"grant_type": "authorization_code", "client_id": client, "code": code, "code_verifier": verifier}
        _, text = self.post_form(200, "/oauth/token", {**fields, "redirect_uri": REDIRECT})
        return json.loads(text)

    def refresh(self, client, token):
        _, text = self.post_form(200, "/oauth/token", {"grant_type": "refresh_token", "client_id": client, "refresh_token": token})
        return json.loads(text)

    def connect(self, name, password, client=None):
        """The whole way of a new client: its id and its tokens."""
        client = client or self.register()
        form, verifier = self.begin(client)
        return client, self.exchange(client, self.allow(form, name, password), verifier)

    def close(self):
        self.connection.close()


def hidden_fields(page):
    return {name: html.unescape(value) for name, value in HIDDEN.findall(page)}


def ticked_fields(page):
    return [(name, html.unescape(value)) for name, value in TICKED.findall(page)]
