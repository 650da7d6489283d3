import { InvalidArgumentError } from 'commander';

export function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new InvalidArgumentError('Give a whole number, 0 or more.');
  return number;
}

export function positiveNumber(value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) throw new InvalidArgumentError('Give a number of seconds above 0.');
  return number;
}
