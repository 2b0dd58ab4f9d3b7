"""What a client sends as a video: arrays in the npy format, or the bytes of a video file. Anything may come."""

from __future__ import annotations

from io import BytesIO
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from vmevalkit.core.errors import MediaError

NPY_MAGIC = b"\x93NUMPY"
_MAX_HEADER = 4096
_KINDS = {"uint8", "float16", "float32", "float64"}


def parse_npy(data: bytes) -> NDArray[Any]:
    """Return the array of an npy file without copying it. Raises MediaError for anything but plain numbers in full.

    ``numpy.load`` would allocate what the header claims. Here the claim must equal what is there."""
    file = BytesIO(data)
    try:
        version = npy.read_magic(file)
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
        shape, is_fortran, dtype = read(file, max_header_size=_MAX_HEADER)
    except KeyError:
        raise MediaError("the npy file has an unknown version; write it with numpy.save") from None
    except Exception as error:  # noqa: BLE001  - numpy evaluates the header as Python, which may raise anything
        raise MediaError(f"the npy file has a damaged header ({str(error)[:200]}); write it with numpy.save") from None
    if dtype.hasobject or dtype.name not in _KINDS:
        raise MediaError(f"the npy file holds {dtype.name[:40]}; pickled objects are refused: send {_list_kinds()}")
    claimed, present = prod(shape) * dtype.itemsize, len(data) - file.tell()
    if any(side < 1 for side in shape) or claimed != present:
        raise MediaError(f"the npy file claims {shape} of {dtype.name}, {claimed} bytes, and holds {present}")
    flat = np.frombuffer(data, dtype, offset=file.tell())
    return flat.reshape(shape, order="F" if is_fortran else "C")


def _list_kinds() -> str:
    return ", ".join(sorted(_KINDS))
