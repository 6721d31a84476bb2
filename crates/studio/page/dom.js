// Small helpers for the page.

/** An element with attributes, listeners (`onclick`) and children. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [name, of] of Object.entries(value)) element.style.setProperty(name, of);
    else if (key in element && typeof value !== "string") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** A colour of a take, linear from 0 to 1, for style sheets. */
export function css(color) {
  const bytes = color.map((c) => Math.round(255 * Math.pow(Math.min(Math.max(c, 0), 1), 1 / 2.2)));
  return `rgb(${bytes.join(" ")})`;
}

/** The value of a variable of the style sheet. */
export const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A number with few digits. */
export function short(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 1e6) return (value / 1e6).toPrecision(3) + "M";
  if (size >= 1e4) return Math.round(value / 1e3) + "k";
  if (size >= 100) return value.toFixed(0);
  return size >= 10 ? value.toFixed(1) : value.toFixed(2);
}
