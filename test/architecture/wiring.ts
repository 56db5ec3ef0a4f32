import ts from 'typescript';
import { scriptsOf, type Sources } from './read-imports.ts';

/** What hands on to others and does nothing itself, by the shape of its text: for `house.ts`, which counts it. */

/** Names of interfaces whose members are functions or other interfaces alone. */
export const wiringInterfaces = (sources: Sources): string[] =>
  nodesIn(sources)
    .filter((node) => ts.isInterfaceDeclaration(node))
    .filter(({ name, members }) => name.text !== 'Props' && members.length > 0 && members.every(isWire))
    .map(({ name }) => name.text);

/** Functions and methods that call a method of another object with what they were given, and do nothing else. */
export const forwarders = (sources: Sources): string[] =>
  nodesIn(sources)
    .filter((node) => ts.isMethodDeclaration(node) || ts.isFunctionDeclaration(node) || ts.isArrowFunction(node))
    .filter((node) => !ts.isArrowFunction(node) || hasName(node))
    .filter(({ parameters, body }) => body !== undefined && handsOn(parameters, body))
    .map((node) => node.getText());

function nodesIn(sources: Sources): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  for (const [file, text] of sources)
    for (const script of scriptsOf(file, text)) visit(ts.createSourceFile(file, script, ts.ScriptTarget.Latest, true));
  return nodes;
}

const isWire = (member: ts.TypeElement): boolean =>
  ts.isMethodSignature(member) || (ts.isPropertySignature(member) && isWiredType(member.type));

/** These hold data. */
const DATA =
  /^(Readonly|ReadonlyMap|ReadonlySet|Map|Set|Promise|Array|ReadonlyArray|Date|Buffer|Uint8Array|Record|Partial)\b/;

function isWiredType(type: ts.TypeNode | undefined): boolean {
  if (type === undefined) return false;
  if (ts.isUnionTypeNode(type)) return type.types.some(isWiredType);
  if (ts.isTypeReferenceNode(type)) return !DATA.test(type.getText());
  return ts.isFunctionTypeNode(type) || ts.isIndexedAccessTypeNode(type);
}

const hasName = ({ parent }: ts.ArrowFunction): boolean =>
  ts.isPropertyAssignment(parent) || ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent);

function handsOn(parameters: readonly ts.ParameterDeclaration[], body: ts.ConciseBody): boolean {
  const call = callAlone(body);
  return (
    call !== null &&
    ts.isPropertyAccessExpression(call.expression) &&
    isNamed(call.expression.expression) &&
    call.arguments.map((each) => each.getText()).join() === parameters.map(({ name }) => name.getText()).join()
  );
}

/** `jobs`, `this.#jobs.due`: one that is made in place, such as a statement of SQL or an expression to test with, does work of its own. */
const isNamed = (receiver: ts.Expression): boolean =>
  ts.isIdentifier(receiver) ||
  receiver.kind === ts.SyntaxKind.ThisKeyword ||
  ((ts.isPropertyAccessExpression(receiver) || ts.isNonNullExpression(receiver)) && isNamed(receiver.expression));

function callAlone(body: ts.ConciseBody): ts.CallExpression | null {
  if (!ts.isBlock(body)) return ts.isCallExpression(body) ? body : null;
  const [only, ...others] = body.statements;
  if (!only || others.length > 0) return null;
  if (!ts.isReturnStatement(only) && !ts.isExpressionStatement(only)) return null;
  return only.expression && ts.isCallExpression(only.expression) ? only.expression : null;
}
