"""Pictures and films: drawing, encoding, decoding, fitting and undoing the fit."""
