"""Upload of images to an S3 bucket, or a compatible one, for providers that accept images by URL only.

The bucket can stay private: the image is uploaded with one presigned URL and shared with another, valid for a day. The
signature (AWS Signature Version 4) is computed here, because the AWS SDK is a large dependency for one function.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

from vmevalkit.core.settings import setting
from vmevalkit.models._errors import ErrorMapper, ErrorResponse
from vmevalkit.models._provider_settings import require_valid_url
from vmevalkit.models._request_params import require_setting
from vmevalkit.models.input_image import EXTENSIONS, PreparedImage
from vmevalkit.models.model import ModelSpec

BUCKET = "VMEVALKIT_S3_BUCKET"
ACCESS_KEY = "AWS_ACCESS_KEY_ID"
SECRET_KEY = "AWS_SECRET_ACCESS_KEY"
PUT_SECONDS = 3600
GET_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True)
class Bucket:
    """An S3 bucket, and the keys to write to it."""

    url: str
    """The bucket's URL, without a slash at the end."""
    region: str
    access_key: str
    secret_key: str
    session_token: str | None = None

    @classmethod
    def from_settings(cls, spec: ModelSpec) -> Bucket:
        """Return the bucket that the settings name. Raises SetupError where a setting is missing.

        At a custom endpoint the bucket's name is part of the path.
        """
        name = require_setting(BUCKET, spec)
        region = setting("AWS_REGION") or setting("AWS_DEFAULT_REGION") or "us-east-1"
        endpoint = require_valid_url("AWS_ENDPOINT_URL_S3") or require_valid_url("AWS_ENDPOINT_URL")
        url = f"{endpoint.rstrip('/')}/{name}" if endpoint else f"https://{name}.s3.{region}.amazonaws.com"
        access_key, secret_key = require_setting(ACCESS_KEY, spec), require_setting(SECRET_KEY, spec)
        return cls(url, region, access_key, secret_key, setting("AWS_SESSION_TOKEN"))

    async def upload_image(self, client: Any, image: PreparedImage, errors: ErrorMapper) -> str:
        """Upload the image and return a URL that is valid for a day."""
        name = f"vmevalkit/{hashlib.sha256(image.data).hexdigest()}.{EXTENSIONS[image.mime]}"
        now = datetime.now(UTC)
        action = "the image upload"
        with errors.map_errors(action):
            put = self.presign_url("PUT", name, PUT_SECONDS, now)
            response = await client.put(put, content=image.data, headers={"content-type": image.mime})
        if response.status_code >= 400:
            error = ErrorResponse.parse(response.status_code, response.headers, response.text)
            raise errors.map_response(error, action)
        return self.presign_url("GET", name, GET_SECONDS, now)

    def presign_url(self, method: str, name: str, seconds: int, now: datetime) -> str:
        """Return a URL that allows one method on one object for a number of seconds."""
        url = urlsplit(f"{self.url}/{quote(name)}")
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
        query_string = "&".join(f"{quote(key, safe='')}={quote(query[key], safe='')}" for key in sorted(query))
        canonical = "\n".join((method, url.path, query_string, f"host:{url.netloc}", "", "host", "UNSIGNED-PAYLOAD"))
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        to_sign = "\n".join(("AWS4-HMAC-SHA256", moment, scope, digest))
        key = f"AWS4{self.secret_key}".encode()
        for part in (day, self.region, "s3", "aws4_request"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
        return f"{url.scheme}://{url.netloc}{url.path}?{query_string}&X-Amz-Signature={signature}"
