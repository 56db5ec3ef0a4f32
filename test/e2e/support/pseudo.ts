import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import { printAST } from '@formatjs/icu-messageformat-parser/printer.js';
import type { Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import en from '../../../src/contract/messages/en.json' with { type: 'json' };

const assets = resolve(import.meta.dirname, '../../../out/renderer/assets');

const ACCENTS = new Map(
  [...'aceinostuyACEINOSTUY'].map((letter, at) => [letter, [...'åçéîñöšţüýÅÇÉÎÑÖŠŢÜÝ'][at] ?? letter]),
);

/** The texts of the window, a file of their own. */
const DECK = '**/assets/en-*.js';

/** How much longer other languages are. */
const LONGER = 0.35;

/**
 * Has the window speak a language of no country from now on: English in accents and brackets, and longer. What has no
 * brackets on the screen did not come from the deck. The deck is replaced on its way into the browser.
 */
export async function speakPseudo(page: Page): Promise<void> {
  await page.route(DECK, (route) => {
    const source = readFileSync(join(assets, basename(new URL(route.request().url()).pathname)), 'utf8');
    return route.fulfill({ contentType: 'text/javascript', body: withPseudoDeck(source) });
  });
  await page.reload();
}

export async function speakEnglish(page: Page): Promise<void> {
  await page.unroute(DECK);
  await page.reload();
}

function withPseudoDeck(source: string): string {
  return source.replace(/"(\w+(?:\.\w+)+)":(?:`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*")/g, (found, key: string) => {
    if (!isKey(key)) return found;
    return `${JSON.stringify(key)}:${JSON.stringify(pseudo(en[key]))}`;
  });
}

const isKey = (key: string): key is keyof typeof en => Object.hasOwn(en, key);

/** Facts and the syntax of the text stay as they are. Pure. */
export function pseudo(text: string): string {
  const elements = parse(text, { ignoreTag: true, requiresOtherClause: false });
  const letters = accent(elements);
  return `[${printAST(elements)}${'~'.repeat(Math.ceil(letters * LONGER))}]`;
}

/** Puts accents on every literal, and counts the letters of one way through the text. */
function accent(elements: MessageFormatElement[]): number {
  let letters = 0;
  for (const element of elements) {
    if (element.type === TYPE.literal) {
      letters += element.value.length;
      element.value = element.value.replaceAll(/[a-z]/gi, (letter) => ACCENTS.get(letter) ?? letter);
    } else if (element.type === TYPE.plural || element.type === TYPE.select) {
      letters += Math.max(...Object.values(element.options).map(({ value }) => accent(value)));
    }
  }
  return letters;
}

/**
 * Texts in sight that came from no deck, and texts that are cut off with nothing that shows all of them. What people and
 * services wrote has its own direction.
 */
export function strayTexts(page: Page, data: readonly RegExp[]): Promise<string[]> {
  const sources = data.map(({ source }) => source);
  return page.evaluate<string[]>(`(${FIND})(${JSON.stringify(sources)})`);
}

const FIND = String.raw`(sources) => {
  const DATA = '[dir], kbd, code, script, style';
  const known = sources.map((source) => new RegExp(source, 'gu'));
  const found = new Set();
  const rest = (text) => {
    let depth = 0;
    let outside = '';
    for (const letter of text) {
      if (letter === '[') depth += 1;
      else if (letter === ']') depth -= 1;
      else if (depth === 0) outside += letter;
    }
    return known.reduce((left, one) => left.replace(one, ''), outside);
  };
  const where = (element) => {
    const named = element.closest('[aria-label], [id]');
    return element.tagName.toLowerCase() + ' in ' + (named?.getAttribute('aria-label') ?? named?.id ?? 'the page');
  };
  const look = (element, text, what) => {
    for (const data of element.querySelectorAll('[dir]')) text = text.replace(data.textContent.trim(), '');
    if (element.closest(DATA) === null && /\p{L}{2}/u.test(rest(text))) found.add(what + ': ' + text.trim() + ' (' + where(element) + ')');
  };
  const isCut = (element, style) =>
    (/hidden|clip/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1) ||
    (style.webkitLineClamp !== 'none' && element.closest(DATA) === null && element.scrollHeight > element.clientHeight + 1);
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  for (const element of document.body.querySelectorAll('*')) {
    if (!shown(element) || element.closest('.sr-only')) continue;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
      const text = element.getAttribute(name);
      if (text !== null) look(element, text, name);
    }
    const own = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim() !== '');
    for (const node of own) look(element, node.data, 'text');
    if (own.length === 0 && element.tagName !== 'INPUT') continue;
    const text = (element.textContent || element.placeholder || '').trim();
    for (let box = element; box !== null && box !== document.body; box = box.parentElement) {
      // For readers of the screen alone.
      if (box.clientWidth === 1) break;
      const style = getComputedStyle(box);
      if (/auto|scroll/.test(style.overflowX)) break;
      if (!isCut(box, style)) continue;
      if (element.closest('[title]') === null && element.closest('[aria-hidden="true"]') === null) found.add('cut off: ' + text + ' (' + where(element) + ')');
      break;
    }
  }
  return [...found];
}`;
