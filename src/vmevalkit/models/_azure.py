"""Clients of Azure OpenAI: by a key, or by a token of Microsoft Entra where there is no key."""

from __future__ import annotations

import asyncio
import shutil
import time
from importlib.util import find_spec
from typing import Any

from vmevalkit.core.errors import SetupError, Unreachable
from vmevalkit.core.settings import setting

API_VERSION = "2025-04-01-preview"
KEY, TOKEN = "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"
_RESOURCE = "https://cognitiveservices.azure.com"
_TOKEN_LIFE_S = 30 * 60.0
"""How long a token of the command line tool is used; it is valid for an hour or more."""
_CLI_TIMEOUT_S = 60.0


def make_azure_client(endpoint: str, deployment: str, api_version: str | None, timeout: Any) -> Any:
    """Return a client of one deployment. Raises SetupError where there is neither a key nor a way to a token."""
    import openai

    return openai.AsyncAzureOpenAI(
        azure_endpoint=endpoint,
        azure_deployment=deployment,
        api_version=api_version or setting("OPENAI_API_VERSION") or API_VERSION,
        timeout=timeout,
        max_retries=0,
        **_find_credentials(deployment),
    )


def _find_credentials(deployment: str) -> dict[str, Any]:
    if key := setting(KEY):
        return {"api_key": key}
    if token := setting(TOKEN):
        return {"azure_ad_token": token}
    if _has_azure_identity():
        from azure.identity.aio import (  # type: ignore[import-not-found,unused-ignore]
            DefaultAzureCredential,
            get_bearer_token_provider,
        )

        return {"azure_ad_token_provider": get_bearer_token_provider(DefaultAzureCredential(), f"{_RESOURCE}/.default")}
    if program := shutil.which("az"):
        return {"azure_ad_token_provider": _CliToken(program).get}
    raise SetupError(
        f"azure/{deployment} needs the setting {KEY}, or an Entra token: set {TOKEN}, install azure-identity, or log "
        "in with the Azure command line (az login)"
    )


def _has_azure_identity() -> bool:
    try:
        return find_spec("azure.identity") is not None
    except ModuleNotFoundError:
        return False


class _CliToken:
    """The token of ``az account get-access-token``, asked for again when it gets old."""

    def __init__(self, program: str) -> None:
        self._program, self._token, self._made_at = program, "", 0.0
        self._turn = asyncio.Lock()

    async def get(self) -> str:
        async with self._turn:
            if not self._token or time.monotonic() - self._made_at > _TOKEN_LIFE_S:
                self._token, self._made_at = await self._ask(), time.monotonic()
            return self._token

    async def _ask(self) -> str:
        command = [self._program, "account", "get-access-token", "--resource", _RESOURCE, "--query", "accessToken",
                   "--output", "tsv"]  # fmt: skip
        process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(), _CLI_TIMEOUT_S)
        except TimeoutError as error:
            process.kill()
            raise Unreachable(f"az account get-access-token gave no token within {_CLI_TIMEOUT_S:g} s") from error
        token = out.decode().strip()
        if process.returncode or not token:
            reason = " ".join(err.decode(errors="replace").split())[:200]
            raise SetupError(f"az account get-access-token gave no token ({reason}); run az login, or set {KEY}")
        return token
