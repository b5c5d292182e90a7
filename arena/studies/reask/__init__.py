"""What bots would decide today where a seat decided before."""
