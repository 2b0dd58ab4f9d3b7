"""The audit: trick videos through providers' degradations, over any scorer, and the certificate that follows."""
