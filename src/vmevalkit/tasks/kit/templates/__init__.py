"""Small puzzle files that run as they are: ``vmevalkit tasks --template move`` prints one."""
