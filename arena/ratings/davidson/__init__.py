"""The second model: places with ties, after Davidson and Luce."""
