"""What is measured, and the books it is measured with: `make bench`."""
