"""Addresses and keys: how they are made, and what is stored of a secret."""

from __future__ import annotations

import hashlib
import secrets

CODE_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
CODE_LENGTH = 26
"""26 base-32 characters are 130 bits: nobody guesses an address."""
SPOKEN_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
SPOKEN_LENGTH = 6
"""A code to be told across the table, without 0 O 1 I. 30 bits are enough for a short time and few guesses only."""


def new_code() -> str:
    """A fresh unguessable address."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))


def is_code(code: str) -> bool:
    """Whether a text can be an address at all: PostgreSQL chokes on some others."""
    return set(code) <= set(CODE_ALPHABET)


def random_spoken_code() -> str:
    """A code to be told, which somebody may have already."""
    return "".join(secrets.choice(SPOKEN_ALPHABET) for _ in range(SPOKEN_LENGTH))


def new_key() -> str:
    """A fresh secret of 192 bits."""
    return secrets.token_urlsafe(24)


def hashed(key: str) -> str:
    """What is stored of a secret."""
    return hashlib.sha256(key.encode()).hexdigest()
