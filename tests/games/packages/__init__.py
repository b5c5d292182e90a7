"""Tests of what packages of others return."""
