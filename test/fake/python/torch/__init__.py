"""A stand-in for torch: no tensors behind it. It has the public hooks of optimizer steps that the genuine one has,
and an optimizer that sleeps."""
