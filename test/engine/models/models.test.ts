import { describe, expect, it } from 'vitest';
import { guessedKind, PRO_OR_VIP, isOneOf, kindOfModel, lineFor } from '../../../src/engine/models/index.ts';

describe('the line of a model', () => {
  it.each([
    ['vgen-2.0-cl', { min: 4, max: 15, integersOnly: false }],
    ['vgen-2.0-cl-fast', { min: 4, max: 15, integersOnly: false }],
    ['vgen-2.0-cl-mini', { min: 4, max: 15, integersOnly: false }],
    ['vgen-2.5-cl', { min: 4, max: 30, integersOnly: false }],
    ['vgen-2.5-gl-a', { min: 4, max: 30, integersOnly: false }],
    ['vgen-2.0-sz-fast', { min: 4, max: 15, integersOnly: false }],
    ['vgen-2.5-sz', { min: 4, max: 30, integersOnly: false }],
    ['vgen-2.0-nt', { min: 4, max: 15, integersOnly: true }],
    ['vgen-2.0-nt-fast', { min: 4, max: 15, integersOnly: true }],
    ['vgen-2.0-nt-mini', { min: 4, max: 4, integersOnly: true }],
  ])('%s has the durations of the reference', (model, duration) => {
    expect(lineFor(model)?.duration).toEqual(duration);
  });

  it('says which sizes each CL model makes', () => {
    expect(lineFor('vgen-2.0-cl')?.sizes).toEqual(['480p', '720p', '1080p']);
    expect(lineFor('vgen-2.0-cl-fast')?.sizes).toEqual(['480p', '720p']);
    expect(lineFor('vgen-2.0-cl-mini')?.sizes).toEqual(['480p', '720p']);
  });

  it('forbids nothing where the reference shows nothing', () => {
    expect(lineFor('vgen-2.0-cl-b-fast')).toMatchObject({ name: 'CL-B' });
    expect(lineFor('vgen-2.0-cl-b-fast')?.duration).toBeUndefined();
    expect(lineFor('vgen-2.0-cl-b-mini')?.preparedVideosOnly).toBeUndefined();
    expect(lineFor('vgen-2.0-ac-fast')).toMatchObject({ name: 'AC' });
    expect(lineFor('vgen-2.0-ac-fast')?.duration).toBeUndefined();
    expect(lineFor('vgen-3.0-whatever')).toBeNull();
    expect(lineFor('my-model')).toBeNull();
  });
});

describe('the kind of a model', () => {
  it('is certain for the video lines alone', () => {
    expect(kindOfModel('vgen-9-new')).toBe('video');
    expect(kindOfModel('music-demo')).toBeNull();
  });

  it.each([
    ['image-demo', 'image'],
    ['acme-music-2', 'music'],
    ['big_video_x', 'video'],
    ['imagery', null],
    ['gpt', null],
  ])('is guessed from the words of %s: %s', (model, kind) => {
    expect(guessedKind(model)).toBe(kind);
  });
});

describe('the shape of a model id', () => {
  it.each([
    ['vgen-2.0-sg', '*-sg', true],
    ['vgen-2.0-sg-fast', '*-sg-*', true],
    ['vgen-2.0-sgx', '*-sg', false],
    ['exact', 'exact', true],
    ['exact-more', 'exact', false],
    ['aXbXc', 'a*b*c', true],
    ['ab', 'ab*b', false],
    ['anything', '*', true],
  ])('%s is of the shape %s: %s', (model, shape, expected) => {
    expect(isOneOf(model, [shape])).toBe(expected);
  });

  it('is none where there is none', () => {
    expect(isOneOf('m', [])).toBe(false);
  });

  it('is matched in linear time', () => {
    // In any other time this never ends.
    expect(isOneOf('a'.repeat(100_000), [`${'*a'.repeat(90)}*b`])).toBe(false);
  });
});

it('an image model is called pro or vip by a word of its own', () => {
  expect(['image-demo-pro', 'img-2-vip', 'prototype'].map((model) => PRO_OR_VIP.test(model))).toEqual([
    true,
    true,
    false,
  ]);
});
