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


# On the home screen


def test_an_app_with_a_memory_of_its_own_asks_for_a_link(thumb, take_phone):
    """Its start page, opened without a cookie, takes a pasted recovery link; from then on it opens the running game."""
    thumb.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked")
    hand = thumb.page.url
    thumb.open("/").follow("Keepers").tap("recovery")
    recovery = thumb.page.locator(".share-address").inner_text()

    app = take_phone()
    start = app.page.request.get("/manifest.webmanifest").json()["start_url"]
    app.open(start)
    app.page.get_by_label("Recovery link, invitation, or code").fill(recovery)
    for key in ("code", "accept"):
        with app.page.expect_navigation():
            app.button(key).tap()
        app.rest()
    app.open(start)
    assert app.page.url == hand
    assert app.tap("bid-0-1").bidder == 1


IPHONE = "Object.defineProperty(navigator, 'standalone', { value: %s, configurable: true })"
OFFER = """() => {
  const event = new Event("beforeinstallprompt", { cancelable: true });
  event.prompt = () => (window.isAsked = true);
  window.dispatchEvent(event);
}"""


def test_the_hint_for_the_home_screen_goes_away(take_phone):
    """By a button where the browser can, in words on an iPhone, not at all in the app; and never again after a no."""
    thumb = take_phone().open("/")
    hint = thumb.page.locator("[data-install]")
    expect(hint).to_be_hidden()
    thumb.page.evaluate(OFFER)
    thumb.page.get_by_role("button", name="Put it on the home screen").tap()
    assert thumb.page.evaluate("() => window.isAsked")
    expect(hint).to_be_hidden()
    iphone, app = take_phone(), take_phone()
    iphone.page.add_init_script(IPHONE % "false")
    app.page.add_init_script(IPHONE % "true")
    hint = iphone.open("/").page.locator("[data-install]")
    expect(hint).to_contain_text("Add to Home Screen")
    iphone.page.get_by_role("button", name="Not now").tap()
    expect(hint).to_be_hidden()
    expect(iphone.reload().page.locator("[data-install]")).to_be_hidden()
    expect(app.open("/").page.locator("[data-install]")).to_be_hidden()
