import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** What each layer may import: its own files, these layers, and (for some) named packages only. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  engine: ['contract'],
  server: ['contract', 'engine'],
  host: ['contract', 'engine', 'server', 'demo'],
  main: ['contract', 'engine', 'server', 'host'],
  preload: ['contract'],
  cli: ['contract', 'engine', 'server', 'host', 'demo'],
  renderer: ['contract'],
  demo: [],
};
const MAY_NAME_ELECTRON = ['main', 'preload'];
const src = resolve(import.meta.dirname, '../../src');

interface Import {
  readonly file: string;
  readonly layer: string;
  readonly target: string;
}

function imports(): Import[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) =>
    targetsIn(join(src, file)).map((target) => ({ file, layer: file.split('/')[0] ?? '', target })),
  );
}

/** Every module a file names: imports, type imports, re-exports, `import()` in code and in types, `require`. */
function targetsIn(path: string): string[] {
  const targets: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      targets.push((node.moduleSpecifier as ts.StringLiteral).text);
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      targets.push((node.argument.literal as ts.StringLiteral).text);
    }
    if (ts.isCallExpression(node) && /^(import|require)$/.test(node.expression.getText())) {
      const [argument] = node.arguments;
      if (argument && ts.isStringLiteral(argument)) targets.push(argument.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true));
  return targets;
}

const layerOf = ({ file, target }: Import): string | undefined =>
  target.startsWith('.') ? relative(src, resolve(src, dirname(file), target)).split('/')[0] : undefined;

describe('the layers', () => {
  const all = imports();

  it('are all known', () => {
    expect(all.length).toBeGreaterThan(100);
    expect([...new Set(all.map(({ layer }) => layer))].filter((layer) => !(layer in MAY_IMPORT))).toEqual([]);
  });

  it('import one way only', () => {
    const wrong = all.filter((each) => {
      const target = layerOf(each);
      return target !== undefined && target !== each.layer && !MAY_IMPORT[each.layer]?.includes(target);
    });
    expect(wrong).toEqual([]);
  });

  it('name electron in main and preload alone', () => {
    const wrong = all.filter(
      ({ layer, target }) => /^electron($|\/)/.test(target) && !MAY_NAME_ELECTRON.includes(layer),
    );
    expect(wrong).toEqual([]);
  });

  it('keep node out of the contract and the renderer', () => {
    const wrong = all.filter(
      ({ layer, target }) => ['contract', 'renderer'].includes(layer) && target.startsWith('node:'),
    );
    expect(wrong).toEqual([]);
  });
});
