"""Files and folders: where each is, and atomic writes, so that a reader never sees a part of one."""
