import { expect, test } from 'vitest';
import { directiveOf } from '../src/find-directives.ts';

test.each([
  ['# type: ignore', 7, 'line'],
  ['# noqa', 7, 'line'],
  ['# see below  # noqa: E501', 7, 'line'],
  ['# pylint: disable=foo', 7, 'line'],
  ['# pragma: no cover', 7, 'line'],
  ['# fmt: off', 7, 'line'],
  ['# ruff: noqa', 7, 'file'],
  ['# mypy: strict', 7, 'file'],
  ['# -*- coding: latin-1 -*-', 2, 'file'],
  ['# -*- coding: latin-1 -*-', 3, undefined],
  ['#!/usr/bin/env python3', 1, 'file'],
  ['#!/usr/bin/env python3', 2, undefined],
  ['# the type of this', 7, undefined],
  ['# returns a value', 7, undefined],
])('python %s on line %i: %s', (comment, line, scope) => {
  expect(directiveOf(comment, line, 'python')?.scope).toBe(scope);
});

test.each([
  ['// @ts-ignore', 'line'],
  ['// @ts-expect-error because', 'line'],
  ['// @ts-nocheck', 'file'],
  ['/// <reference types="node" />', 'file'],
  ['// eslint-disable-next-line no-x', 'line'],
  ['/* eslint-disable no-x */', 'file'],
  ['/* global $ */', 'file'],
  ['/* @__PURE__ */', 'file'],
  ['/*#__PURE__*/', 'file'],
  ['/* istanbul ignore next */', 'line'],
  ['// biome-ignore lint/x: y', 'line'],
  ['// prettier-ignore', 'line'],
  ['/** @type {number} */', 'file'],
  ['/** @jsx h */', 'file'],
  ['/* webpackChunkName: "a" */', 'file'],
  ['//# sourceMappingURL=a.js.map', 'file'],
  ['#!/usr/bin/env node', 'file'],
  ['<!-- a', 'file'],
  ['// a comment', undefined],
  ['/* @see there */', undefined],
  ['/** Adds two numbers. */', undefined],
])('javascript %s: %s', (comment, scope) => {
  expect(directiveOf(comment, 7, 'javascript')?.scope).toBe(scope);
});
