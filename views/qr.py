"""An address as a picture that a phone's camera reads."""

from __future__ import annotations

import segno
from markupsafe import Markup


def qr(address: str) -> Markup | None:
    """The QR code of an address as inline SVG: dark on light in every theme, with the quiet zone it needs.

    None for an address that is too long for one: the name of the host is whatever was asked for.

    Many cameras read no code with its colours swapped, and none without the margin of four modules.
    """
    try:
        code = segno.make(address, error="m", micro=False)
    except segno.DataOverflowError:
        return None
    # All of it is drawn by segno from numbers; the address itself does not stand in it.
    return Markup(  # noqa: S704
        code.svg_inline(border=4, dark="#000", light="#fff", omitsize=True, svgclass="qr", lineclass=None)
    )
