"""A place on the web for pictures, for providers that take them by address only: an S3 bucket, or what speaks like one.

The bucket stays private. The picture is put with one signed address and offered with another, which ends after a day.
Signing is AWS's Signature Version 4, done here: it is short, and its SDK is not.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

from vmevalkit.core.settings import setting
from vmevalkit.models._talk import Said, Talk
from vmevalkit.models._wishes import required
from vmevalkit.models.model import ModelSpec
from vmevalkit.models.preparing import ENDINGS, Prepared

BUCKET = "VMEVALKIT_S3_BUCKET"
ACCESS_KEY = "AWS_ACCESS_KEY_ID"
SECRET_KEY = "AWS_SECRET_ACCESS_KEY"
PUT_SECONDS = 3600
OFFER_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True)
class Bucket:
    """Where pictures are hosted, and by whom."""

    address: str
    """Of the bucket, without a slash at its end."""
    region: str
    access_key: str
    secret_key: str
    session_token: str | None = None

    @classmethod
    def from_settings(cls, spec: ModelSpec) -> Bucket:
        """SetupError where a setting is missing. An endpoint of one's own keeps the bucket in the path."""
        name = required(BUCKET, spec)
        region = setting("AWS_REGION") or setting("AWS_DEFAULT_REGION") or "us-east-1"
        own = setting("AWS_ENDPOINT_URL_S3") or setting("AWS_ENDPOINT_URL")
        address = f"{own.rstrip('/')}/{name}" if own else f"https://{name}.s3.{region}.amazonaws.com"
        return cls(
            address, region, required(ACCESS_KEY, spec), required(SECRET_KEY, spec), setting("AWS_SESSION_TOKEN")
        )

    async def publish(self, client: Any, picture: Prepared, talk: Talk) -> str:
        """Put the picture there; the address at which anybody can get it for a day. Nothing is ordered by this."""
        name = f"vmevalkit/{hashlib.sha256(picture.data).hexdigest()}.{ENDINGS[picture.mime]}"
        now = datetime.now(UTC)
        what = "the upload of the picture"
        with talk.about(what):
            put = self.signed("PUT", name, PUT_SECONDS, now)
            response = await client.put(put, content=picture.data, headers={"content-type": picture.mime})
        if response.status_code >= 400:
            raise talk.answer(Said.of(response.status_code, response.headers, response.text), what)
        return self.signed("GET", name, OFFER_SECONDS, now)

    def signed(self, method: str, name: str, seconds: int, now: datetime) -> str:
        """An address that allows one thing with one object, for a while."""
        url = urlsplit(f"{self.address}/{quote(name)}")
        day, moment = now.strftime("%Y%m%d"), now.strftime("%Y%m%dT%H%M%SZ")
        scope = f"{day}/{self.region}/s3/aws4_request"
        query = {
            "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
            "X-Amz-Credential": f"{self.access_key}/{scope}",
            "X-Amz-Date": moment,
            "X-Amz-Expires": str(seconds),
            "X-Amz-SignedHeaders": "host",
        }
        if self.session_token:
            query["X-Amz-Security-Token"] = self.session_token
        written = "&".join(f"{quote(key, safe='')}={quote(query[key], safe='')}" for key in sorted(query))
        canonical = "\n".join((method, url.path, written, f"host:{url.netloc}", "", "host", "UNSIGNED-PAYLOAD"))
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        to_sign = "\n".join(("AWS4-HMAC-SHA256", moment, scope, digest))
        key = f"AWS4{self.secret_key}".encode()
        for part in (day, self.region, "s3", "aws4_request"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
        return f"{url.scheme}://{url.netloc}{url.path}?{written}&X-Amz-Signature={signature}"
