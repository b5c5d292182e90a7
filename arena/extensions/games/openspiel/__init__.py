"""The games of OpenSpiel, as the family ``openspiel``."""
