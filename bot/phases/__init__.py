"""Architecture, skeleton, code, and the leg that moves a run one step."""
