"""The page in a real browser: what a reader sees and does, by mouse, keys and finger."""

import pytest

from bnjit.datasets import random_network
from tests.explore.networks import NAMES, hostile_network, strengths


@pytest.fixture
def page(show):
    return show(hostile_network().explore(strength=strengths()).html)


def node(page, i):
    return page.find_element("css selector", f'#drawing [data-node="{i}"]')


def panel(page):
    return page.find_element("id", "details")


def shown_arcs(page):
    return len([arc for arc in page.find_elements("css selector", "g.edge") if arc.is_displayed()])


def press(page, *keys):
    page.switch_to.active_element.send_keys(*keys)


def focused(page):
    return page.switch_to.active_element


@pytest.fixture
def keys():
    from selenium.webdriver import Keys

    return Keys


def test_a_click_shows_parents_parameters_and_distribution(page):
    assert not panel(page).is_displayed()
    node(page, 4).click()
    text = panel(page).text
    assert text.startswith("x" * 100)
    assert "Gaussian node" in text
    assert "Parents (1)" in text
    assert "-2.5" in text
    assert "1.5" in text
    assert "standard deviation" in text
    assert len(panel(page).find_elements("css selector", ".histogram rect")) == 40
    node(page, 1).click()
    assert "0.75" in panel(page).text
    assert "1 configuration without parameters" in panel(page).text
    bars = panel(page).find_elements("css selector", ".bars .track span")
    assert len(bars) == 2
    assert bars[0].size["width"] > bars[1].size["width"]


def test_names_are_texts_and_nothing_else(page):
    for i in range(3):
        node(page, i).click()
        assert panel(page).find_element("css selector", "h2").get_property("textContent") == NAMES[i]
    assert page.execute_script("return window.broken") is None
    assert page.find_elements("css selector", "img") == []
    assert len(page.find_elements("css selector", "script")) == 2


def test_the_slider_removes_arcs(page, keys):
    slider = page.find_element("id", "strength")
    assert shown_arcs(page) == 4
    slider.send_keys(*[keys.ARROW_RIGHT] * 30)
    assert shown_arcs(page) == 3
    assert page.find_element("id", "strength-value").text == "30 %: 3 of 4 arcs"
    slider.send_keys(keys.END)
    assert shown_arcs(page) == 1
    slider.send_keys(keys.HOME)
    assert shown_arcs(page) == 4
    page.find_element("id", "significant").click()
    assert shown_arcs(page) == 3
    node(page, 3).click()
    assert "child" not in node(page, 4).get_attribute("class").split(), "its arc is left out"
    assert "parent" in node(page, 1).get_attribute("class").split()


def test_hovering_highlights_neighbours(page):
    from selenium.webdriver import ActionChains

    ActionChains(page).move_to_element(node(page, 1)).perform()
    kinds = [set(node(page, i).get_attribute("class").split()) - {"node"} for i in range(6)]
    assert kinds == [{"parent"}, {"centre"}, set(), {"child"}, set(), set()]
    ActionChains(page).move_to_element(page.find_element("id", "facts")).perform()
    assert "near" not in page.find_element("id", "drawing").get_attribute("class")


def test_search_finds_shows_and_focuses(page, keys):
    field = page.find_element("id", "search")
    field.send_keys("tEMPerat")
    (found,) = page.find_elements("css selector", "#found [role=option]")
    assert found.text.startswith("Temperatur °C")
    field.send_keys(keys.ENTER)
    assert "Temperatur °C" in panel(page).text
    assert focused(page) == node(page, 3)
    field.send_keys("no such name")
    assert page.find_element("id", "found").text == "no node has this in its name"
    field.send_keys(keys.ESCAPE)
    assert not page.find_element("id", "found").is_displayed()
    assert field.get_attribute("value") == ""


def test_all_by_keys(page, keys):
    page.find_element("id", "search").click()
    stops = []
    for _ in range(6):
        press(page, keys.TAB)
        stops.append(focused(page).get_attribute("id") or focused(page).get_attribute("data-node"))
    assert stops == ["strength", "significant", "0", "zoom-in", "zoom-out", "zoom-all"]
    for _ in range(3):
        press(page, keys.SHIFT + keys.TAB + keys.SHIFT)
    assert focused(page) == node(page, 0)
    press(page, keys.ARROW_DOWN)
    below = focused(page)
    assert below in (node(page, 1), node(page, 2))
    assert "parent" in below.get_attribute("aria-label")
    outline = page.execute_script("return getComputedStyle(arguments[0].querySelector('rect')).strokeWidth", below)
    assert float(outline.removesuffix("px")) > 3, "focus is seen"
    press(page, keys.ENTER)
    assert panel(page).is_displayed()
    assert focused(page).tag_name == "h2"
    press(page, keys.ESCAPE)
    assert not panel(page).is_displayed()
    assert focused(page) == below


def test_zoom_and_pan(page):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

    drawing = page.find_element("id", "drawing")
    width = node(page, 5).rect["width"]
    page.find_element("id", "zoom-in").click()
    larger = node(page, 5).rect["width"]
    assert larger == pytest.approx(1.4 * width, rel=0.02)
    ActionChains(page).scroll_from_origin(ScrollOrigin.from_element(drawing), 0, -300).perform()
    assert node(page, 5).rect["width"] > 1.3 * larger
    page.find_element("id", "zoom-all").click()
    assert node(page, 5).rect["width"] == pytest.approx(width, rel=0.02)
    x = node(page, 5).rect["x"]
    ActionChains(page).move_to_element_with_offset(drawing, 0, -300).click_and_hold().move_by_offset(
        60, 0
    ).release().perform()
    assert node(page, 5).rect["x"] == pytest.approx(x + 60, abs=1.5)
    assert not panel(page).is_displayed(), "to move is not to click"


@pytest.fixture(scope="module")
def many_nodes():
    return random_network("discrete", 300, seed=1).explore().html


@pytest.mark.parametrize("width", [1200, 380])
def test_names_of_many_nodes_are_readable_and_apart(show, many_nodes, width):
    page = show(many_nodes, width)
    page.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done));")
    names = page.execute_script(
        "return [...document.querySelectorAll('#names rect')].map((r) => r.getBoundingClientRect().toJSON())"
    )
    assert len(names) > (60 if width > 1000 else 20)
    for i, one in enumerate(names):
        assert one["height"] >= 15
        for other in names[:i]:
            beside = one["left"] >= other["right"] - 1 or other["left"] >= one["right"] - 1
            assert beside or one["top"] >= other["bottom"] - 1 or other["top"] >= one["bottom"] - 1
    assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_what_is_shown_whole_stays_whole(show, many_nodes):
    page = show(many_nodes, 1800, 400)  # as high as the drawing, so that its first node is at the border
    inside = (
        "const stage = document.getElementById('stage').getBoundingClientRect();"
        "return [...document.querySelectorAll('#drawing [data-node]')].map((node) => node.getBoundingClientRect())"
        ".filter((box) => box.top >= stage.top && box.bottom <= stage.bottom).length"
    )
    places = page.execute_script(
        "return [...document.querySelectorAll('#drawing [data-node]')].map((n) => n.getBoundingClientRect().top)"
    )
    assert page.execute_script(inside) == 300
    top = places.index(min(places))
    page.execute_script("arguments[0].dispatchEvent(new Event('click', {bubbles: true}))", node(page, top))
    page.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done));")
    assert panel(page).is_displayed()
    assert page.execute_script(inside) == 300


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out(page, scheme):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    node(page, 4).click()
    colours = page.execute_script(
        "return ['body', '#details', '#details h2', '#details .quiet', '.node text', '.node rect'].map((name) => {"
        "const style = getComputedStyle(document.querySelector(name));"
        "return [style.backgroundColor, style.color, style.fill] })"
    )
    body, aside, heading, quiet, text, box = colours
    assert contrast(body[0], body[1]) > 7
    assert contrast(aside[0], heading[1]) > 7
    assert contrast(aside[0], quiet[1]) > 4.5
    assert contrast(box[2], text[2]) > 7
    assert (luminance(body[0]) < 0.2) == (scheme == "dark")


def luminance(colour):
    """After WCAG 2."""
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    """After WCAG 2."""
    high, low = sorted([luminance(a), luminance(b)], reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_in_a_frame_of_a_notebook(show):
    made = hostile_network().explore()
    page = show(f"<!DOCTYPE html><title>notebook</title><link rel=icon href=data:,><body>{made._repr_html_()}")
    page.switch_to.frame(page.find_element("css selector", "iframe"))
    node(page, 4).click()
    assert "Gaussian node" in panel(page).text
    page.switch_to.default_content()
