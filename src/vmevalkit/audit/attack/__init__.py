"""Random videos whose labels follow from how they are made, and a search for those that a scorer gets wrong.

A program is a list of operations over five tracks: states, visibility, camera, look and delivery. One symbolic run of
it says for each frame what is there and what can be seen of it. The label and the pixels are both made from that run.
"""

from vmevalkit.audit.attack.program import Operation, Program, load_program, load_programs

__all__ = ["Operation", "Program", "load_program", "load_programs"]
