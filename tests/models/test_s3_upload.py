"""Presigned URLs, compared with the example that AWS publishes."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from vmevalkit.core.errors import SetupError
from vmevalkit.models.model import ModelSpec
from vmevalkit.models.s3_upload import Bucket

SPEC = ModelSpec("clay-1", "clay", "clay.v1", "clay")
DAY = datetime(2013, 5, 24, tzinfo=UTC)
# The example of "Authenticating Requests: Using Query Parameters" in the reference of Amazon S3.
EXAMPLE = Bucket(
    "https://examplebucket.s3.amazonaws.com", "us-east-1", "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
)  # fmt: skip
SIGNATURE = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"


def test_the_signature_matches_the_published_example() -> None:
    url = urlsplit(EXAMPLE.presign_url("GET", "test.txt", 86400, DAY))
    query = parse_qs(url.query)
    assert (url.netloc, url.path) == ("examplebucket.s3.amazonaws.com", "/test.txt")
    assert query["X-Amz-Credential"] == ["AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"]
    assert query["X-Amz-Signature"] == [SIGNATURE]


def test_a_url_allows_one_method_on_one_object() -> None:
    signatures = {
        parse_qs(urlsplit(EXAMPLE.presign_url(method, name, seconds, DAY)).query)["X-Amz-Signature"][0]
        for method, name, seconds in (("GET", "a", 60), ("PUT", "a", 60), ("GET", "b", 60), ("GET", "a", 61))
    }
    assert len(signatures) == 4


def test_missing_settings_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("VMEVALKIT_S3_BUCKET", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    for name in (*names, "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    for name in names:
        with pytest.raises(SetupError, match=f"clay-1 needs the setting {name}"):
            Bucket.from_settings(SPEC)
        monkeypatch.setenv(name, "images")
    assert Bucket.from_settings(SPEC).url == "https://images.s3.us-east-1.amazonaws.com"
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9000/")
    assert Bucket.from_settings(SPEC).url == "http://127.0.0.1:9000/images"
