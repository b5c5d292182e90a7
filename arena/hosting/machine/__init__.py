"""Read process facts from the kernel, and set limits on processes."""
