import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, type AST } from 'svelte/compiler';
import ts from 'typescript';
import { allowedTexts } from './allowed-texts.ts';

/** Finds what people read beside the deck: `npm run messages -- --outside`. */

const ROOT = join(import.meta.dirname, '../src');
const AREAS = [
  ...['contract/**/*.ts', 'engine/**/*.ts', 'server/**/*.ts', 'host/**/*.ts', 'cli/**/*.ts', 'main/**/*.ts'],
  ...['renderer/**/*.ts', 'renderer/**/*.svelte'],
];
/** The schema is SQL, and diagnostics are read by developers. */
const LEFT_OUT = /^(?:engine\/db\/schema\.ts$|host\/diagnostics\.ts$|main\/features\/diagnostics\.ts$)/;

/** Attributes and properties whose values are read, whatever they look like. */
const READ =
  /^(?:title|alt|placeholder|label|help|hint|sentence|description|action|intro|unit|aria-label|aria-description|aria-roledescription)$/;
const WORD = /\p{L}{2}/u;
/** A literal of a script counts when it begins as a sentence does, or ends as one. */
const SENTENCE = /^\p{Lu}[\p{L}’-]* \p{L}|\p{L} \p{L}.*[.?!…]$/u;

export interface OutsideText {
  /** Relative to `src`. */
  readonly file: string;
  readonly text: string;
}

export function outsideTexts(): OutsideText[] {
  const files = globSync(AREAS, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !LEFT_OUT.test(file));
  return files.toSorted().flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    const texts = file.endsWith('.svelte')
      ? textsOfComponent(source)
      : textsOfScript(source, !/^(?:contract|engine|host|server)\//.test(file));
    return texts
      .map((text) => text.replaceAll(/\s+/g, ' ').trim())
      .filter((text) => !allowedTexts.has(text))
      .map((text) => ({ file, text }));
  });
}

/** How many texts lie in each folder, `renderer/views/queue` with all below it. */
export function countByFolder(texts: readonly OutsideText[]): Map<string, number> {
  const folders = texts.map(({ file }) => dirname(file).split('/').slice(0, 3).join('/'));
  return new Map([...Map.groupBy(folders, (folder) => folder)].map(([folder, all]) => [folder, all.length]));
}

/** Literals of a script that are sentences, and those of properties that are read. Pure. */
export function textsOfScript(source: string, errorsAreShown = true): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    if (isForDevelopers(node, errorsAreShown)) return;
    const text = literalOf(node);
    if (text !== null && !SQL.test(text) && (SENTENCE.test(text) || isLabel(node, text))) found.push(text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('script.ts', source, ts.ScriptTarget.Latest, true));
  return found;
}

function literalOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
}

const isLabel = ({ parent }: ts.Node, text: string): boolean =>
  /^\p{Lu}\p{L}/u.test(text) && ts.isPropertyAssignment(parent) && READ.test(parent.name.getText());

/** Words of SQL, in capitals; the rest of a sentence of ours is not. */
const SQL =
  /^(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|FROM|BEGIN|VACUUM|PRAGMA|ALTER)\b|\b(?:WHERE|JOIN|AND|IN) |[=<>] ?[@?]|= '/;

/**
 * The log, the message of a plain error, which is a defect or is caught, and the body of an answer that no window shows
 * are for developers, and in one language.
 */
function isForDevelopers(node: ts.Node, errorsAreShown: boolean): boolean {
  if (ts.isCallExpression(node)) {
    const called = node.expression.getText();
    return /\blogger\.(?:debug|info|warn|error)$/.test(called) || (!errorsAreShown && /^(?:plain|super)$/.test(called));
  }
  return (
    !errorsAreShown &&
    ts.isNewExpression(node) &&
    /^(?:Error|TypeError|RangeError|Response)$/.test(node.expression.getText())
  );
}

/** Texts of the template, of attributes that are read, and of scripts. Pure. */
export function textsOfComponent(source: string): string[] {
  const { fragment, instance, module } = parse(source, { modern: true });
  const scripts = [module, instance].flatMap((script) => (script ? [contentOf(source, script)] : []));
  return [...scripts.flatMap((script) => textsOfScript(script)), ...textsOfTemplate(fragment, source)];
}

const contentOf = (source: string, { content }: AST.Script): string => {
  const { start, end } = content as unknown as { start: number; end: number };
  return source.slice(start, end);
};

function textsOfTemplate(fragment: AST.Fragment, source: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown, attribute: string | null): void => {
    if (Array.isArray(value)) value.forEach((each) => visit(each, attribute));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const node = value as { type?: string; name?: string; data?: string; start?: number; end?: number };
    if (node.type === 'Comment' || node.type === 'StyleDirective') return;
    if (node.type === 'Text' && WORD.test(node.data ?? '') && (attribute === null || READ.test(attribute))) {
      found.push(node.data ?? '');
    } else if (node.type === 'ExpressionTag' && 'expression' in node) {
      const code = source.slice(node.start ?? 0, node.end ?? 0).slice(1, -1);
      found.push(...textsOfExpression(code, attribute === null || READ.test(attribute)));
    } else {
      const name = node.type === 'Attribute' ? (node.name ?? '') : attribute;
      for (const [key, child] of Object.entries(node)) if (key !== 'parent') visit(child, name);
    }
  };
  visit(fragment.nodes, null);
  return found;
}

/** Where an expression is shown, every word of two letters counts that is no key of a text. */
function textsOfExpression(code: string, isShown: boolean): string[] {
  const found = textsOfScript(`(${code})`);
  if (!isShown) return found;
  const shown = ts.createSourceFile('shown.ts', `(${code})`, ts.ScriptTarget.Latest, true);
  const branches = (node: ts.Node): ts.Node[] => {
    if (ts.isParenthesizedExpression(node)) return branches(node.expression);
    if (ts.isConditionalExpression(node)) return [...branches(node.whenTrue), ...branches(node.whenFalse)];
    return [node];
  };
  const [statement] = shown.statements;
  if (!statement || !ts.isExpressionStatement(statement)) return found;
  const words = branches(statement.expression).map(literalOf);
  return [...new Set([...found, ...words.filter((text) => text !== null && WORD.test(text))])] as string[];
}
