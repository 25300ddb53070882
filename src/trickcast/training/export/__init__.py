"""From trained networks to the ONNX files that ship, each with its checksum and torch's answers."""
