"""The audit: trick films through providers' artefacts, over any scorer, and the certificate that follows."""
