"""What the library costs, beside what its users would otherwise pay: run `python -m benchmarks`."""
