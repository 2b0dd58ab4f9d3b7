"""Images and videos: drawing, encoding, decoding, fitting and undoing the fit."""
