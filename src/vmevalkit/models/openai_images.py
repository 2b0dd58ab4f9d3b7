"""Image editing by ``images.edit``: at Azure, at OpenAI, or at any server with the same API. All images are passed."""

from __future__ import annotations

import base64
import binascii
from typing import Any
from urllib.parse import urlsplit

from vmevalkit.core.errors import Refused, SetupError
from vmevalkit.core.image_edit import EditedImage, EditRequest
from vmevalkit.core.settings import setting
from vmevalkit.models import _azure
from vmevalkit.models._errors import ErrorMapper
from vmevalkit.models._request_params import CONNECT_TIMEOUT_S
from vmevalkit.models.chat import AZURE_PREFIX, OPENAI_URL, find_chat_spec
from vmevalkit.models.chat_images import to_png
from vmevalkit.models.image_limits import IMAGE_EDIT_LIMITS, fit_images

EDIT = "the image request"


class OpenAIImages:
    """Adapter for ``/images/edits``. It makes one call and does not retry.

    ``azure/DEPLOYMENT`` is at Azure (AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_KEY), any other name at ``base_url``, at
    OPENAI_BASE_URL or at OpenAI. A server that was named by the call gets CHAT_API_KEY, as for chat models.
    """

    def __init__(
        self, name: str, base_url: str | None = None, *, deployment: str | None = None, api_version: str | None = None,
        timeout_s: float = 300.0,
    ) -> None:  # fmt: skip
        """``deployment`` and ``api_version`` are those of Azure."""
        import openai

        spec = find_chat_spec(name, base_url, deployment)
        self.name, self.provider, self.identity = name, spec.provider, spec.identity
        self._model_id = spec.model_id
        timeout = openai.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S))
        key_name = _choose_key_name(name, spec.base_url)
        if name.startswith(AZURE_PREFIX):
            self._client: Any = _azure.make_azure_client(spec.base_url or "", self._model_id, api_version, timeout)
        else:
            key = setting(key_name) or ("none" if key_name == "CHAT_API_KEY" else "")
            if not key:
                raise SetupError(f"{name} needs the setting {key_name}: set it in the environment or in .env")
            self._client = openai.AsyncOpenAI(
                api_key=key, base_url=spec.base_url or OPENAI_URL, timeout=timeout, max_retries=0
            )
        self._errors = ErrorMapper(spec, key_name)

    async def edit(self, request: EditRequest) -> EditedImage:
        images = fit_images(request.images, IMAGE_EDIT_LIMITS)
        files = [(f"image_{i}.png", to_png(image), "image/png") for i, image in enumerate(images)]
        params = {"size": request.size} if request.size else {}
        try:
            with self._errors.map_errors(EDIT):
                response = await self._client.images.edit(
                    model=self._model_id, image=files, prompt=request.prompt, n=1, **params
                )
                item = response.data[0]
                text = getattr(item, "revised_prompt", None) or ""
                data = await self._read(item)
        except Refused as error:
            return EditedImage(b"", refusal=str(error), sent={**params, "images": len(files)})
        return EditedImage(data, text, self._model_id, sent={**params, "images": len(files)})

    async def close(self) -> None:
        await self._client.close()

    async def _read(self, item: Any) -> bytes:
        """Return the image, which is inside the response or at a URL that the response names."""
        if item.b64_json:
            try:
                return base64.b64decode(item.b64_json, validate=True)
            except binascii.Error as error:
                raise self._errors.map_unreadable_response(EDIT, cause=error) from error
        if not item.url or urlsplit(item.url).scheme not in ("http", "https"):
            raise self._errors.map_unreadable_response(EDIT)
        import httpx2

        async with httpx2.AsyncClient(timeout=CONNECT_TIMEOUT_S, follow_redirects=True) as client:  # without the key
            response = await client.get(item.url)
            response.raise_for_status()
            data: bytes = response.content
        return data


def _choose_key_name(name: str, base_url: str | None) -> str:
    """Return the setting of the key: a key of OpenAI must not reach another service by accident."""
    if name.startswith(AZURE_PREFIX):
        return _azure.KEY
    hosts = {urlsplit(OPENAI_URL).netloc, urlsplit(setting("OPENAI_BASE_URL") or OPENAI_URL).netloc}
    return "OPENAI_API_KEY" if urlsplit(base_url or OPENAI_URL).netloc in hosts else "CHAT_API_KEY"
