"""Links as other phones get them: by camera, by the share sheet, by the clipboard."""

from __future__ import annotations

import io

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_becomes_a_keeper_by_its_camera(thumb, take_phone, theme):
    """The code is read from a photograph of the screen, followed on another phone, and that one writes."""
    thumb.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked")
    thumb.page.emulate_media(color_scheme=theme)
    hand = thumb.page.url
    thumb.open("/").follow("Keepers").tap("invite")
    address = seen(thumb)
    assert address == thumb.page.locator(".share-address").inner_text()
    other = take_phone(color_scheme=theme).open(address).tap("accept")
    other.open(hand).tap("bid-0-1")
    assert other.bidder == 1
    watcher = take_phone(color_scheme=theme)
    thumb.open(f"/g/{other.code}/share")
    watcher.open(seen(thumb))
    expect(watcher.page.locator("h1")).to_have_text("Score sheet")
    assert watcher.page.locator("form").count() == 0


def seen(thumb):
    """What a camera reads from the screen."""
    photograph = Image.open(io.BytesIO(thumb.page.screenshot()))
    (code,) = zxingcpp.read_barcodes(photograph)
    return code.text


def test_a_link_is_copied_where_the_browser_can(thumb):
    """The button says that it did; where neither sharing nor copying is there, it is not shown at all."""
    thumb.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    thumb.page.add_init_script("delete Navigator.prototype.share")
    thumb.start(*FOUR, order="own", plan="1")
    code = thumb.code
    thumb.open(f"/g/{code}/share")
    thumb.page.locator("[data-share]").tap()
    expect(thumb.page.locator("[data-share]")).to_have_text("Copied")
    copied = thumb.page.evaluate("navigator.clipboard.readText()")
    assert copied == thumb.page.locator(".share-address").inner_text()
    thumb.page.add_init_script("delete Navigator.prototype.clipboard")
    thumb.open(f"/g/{code}/share")
    expect(thumb.page.locator("[data-share]")).to_be_hidden()
