"""PYTEST_DONT_REWRITE. Which values are secrets, by the name they go by or by their form, and why.

The rules are those of node-secrets.mjs, tested on the same cases (test/fixtures/secrets.json). A name that says so is enough for a
string or a number; one that often says something else (`key`, `token`) only beside a text that looks random.
"""
import builtins
import re

__builtins__ = dict(vars(builtins))  # the target may patch its own
LEAST, LOOKED_AT, SHOWN, NAME = 9, 400, 200, 80
SURE = frozenset('password passwords passwd passwds pwd passphrase passphrases passcode secret secrets credential credentials cvv '
                 'apikey apikeys privatekey secretkey accesskey authtoken accesstoken refreshtoken sessiontoken'.split())
KEYS = frozenset('api private secret access signing encryption account master shared ssh auth'.split())
TOKENS = frozenset('access auth refresh bearer api session csrf xsrf security oauth bot github deploy'.split())
PLACES = frozenset('db database mysql postgres pg redis mongo smtp mail email ftp ssh admin root login user auth account proxy sudo'.split())
WEAK = frozenset('netloc userinfo token tokens key keys auth authorization bearer cookie cookies session sid signature jwt otp nonce'.split())
# words behind the one that says what it is
BEHIND = frozenset('hash hashed digest value text str string bytes plain raw hex b base encoded old new current confirm confirmation '
                   'again repeat env'.split())
NOTHING = frozenset('none null nil true false undefined'.split())
_word = re.compile('[A-Z]+(?![a-z])|[A-Z]?[a-z]+').findall
_run = re.compile('[A-Za-z0-9]{16}[A-Za-z0-9]*').findall
_random = re.compile(r'[A-Za-z0-9+/=_.~:-]{16,}\Z').match
_login = re.compile('[^\\s/?#@:"\']*:[^\\s/?#@"\']+\\Z').match
# `user:password`, and the same before a host
FITS = {'auth': _login, 'userinfo': _login, 'netloc': re.compile('[^\\s/?#@:"\']*:[^\\s/?#@"\']+@').match}
_mixed = re.compile('(?=.*[a-z])(?=..*[A-Z0-9])|(?=.*[0-9])').match
_EDGE = '(?<![A-Za-z0-9])'
# what must stand in a text, how it goes on, and what it is
FORMS = [(marks, re.compile(pattern).finditer, kind) for marks, pattern, kind in (
    (('-----BEGIN ',), '-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY', 'private key'),
    (('eyJ',), r'(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.|\Z)', 'JWT'),
    (('AKIA', 'ASIA'), _EDGE + '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])', 'AWS access key'),
    (('gh',), _EDGE + '(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})', 'GitHub token'),
    (('glpat-',), _EDGE + 'glpat-[A-Za-z0-9_-]{20}', 'GitLab token'),
    (('xox',), _EDGE + 'xox[abposr]-[A-Za-z0-9-]{10}', 'Slack token'),
    (('sk-', 'k_live_', 'k_test_'), _EDGE + '(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16}|sk-[A-Za-z0-9_-]{20})', 'API key'),
    (('AIza',), _EDGE + 'AIza[A-Za-z0-9_-]{35}', 'Google API key'),
    (('npm_', 'pypi-'), _EDGE + '(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{16})', 'package registry token'),
    (('earer ', 'asic '), _EDGE + '(?:[Bb]earer|[Bb]asic) (?P<part>[A-Za-z0-9._~+/-]{12,})', 'authorization header'),
    (('://',), '://[^\\s/?#@:"\']*:[^\\s/?#@"\']+@', 'URL userinfo'))]
# what a text holds that gives something to a name which says that it is a secret
HINTS = ('pass', 'pwd', 'secret', 'credential', 'cvv')
PAIRS = [(last, [first + sign + last for first in sorted(firsts) for sign in ('_', '-', '')])
         for last, firsts in (('key', KEYS), ('token', TOKENS))]
_assigned = re.compile(r'(["\']? ?[=:] ?)["\']?([^\s"\'&;,<>{}()\[\]=]{1,80})').finditer
NAME_SIGNS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-'
_names = {}


class Reason:
    """Why values under a name are secrets; where it is not sure, only texts that look random are."""
    __slots__ = ('text', 'is_sure', 'kind')

    def __init__(self, name, is_sure, kind=''):
        self.text, self.is_sure, self.kind = 'name "%s"' % name, is_sure, kind

    def fits(self, text):
        """Whether a text under a name that is not sure is a secret."""
        find = FITS.get(self.kind)
        return find is not None and bool(find(text[:LOOKED_AT])) or looks_random(text)


def reason_of(name):
    """Why values that go by a name are secrets; None: they are not. `name`: an exact str, of whatever content."""
    if name not in _names:
        if len(_names) >= 4096:
            _names.clear()
        _names[name] = None if len(name) > NAME else judged(name)
    return _names[name]


def judged(name):
    words = [word.lower() for word in _word(name)]
    while len(words) > 1 and words[-1] in BEHIND:
        words.pop()
    last = words[-1] if words else ''
    pair = words[-2] if len(words) > 1 else ''  # `pwd` alone is the working folder
    is_sure = last in SURE and (last != 'pwd' or pair != '') or last in ('key', 'keys') and pair in KEYS or last == 'pass' and pair in PLACES or last in ('token', 'tokens') and pair in TOKENS
    return Reason(name if name.isprintable() else last, is_sure, last) if is_sure or last in WEAK else None


def looks_random(text):
    """`text`: an exact str."""
    if len(text) > LOOKED_AT or not _random(text):
        return False
    for run in _run(text):
        digits = len([letter for letter in run if letter in '0123456789'])
        if 2 <= digits <= len(run) - 2:
            return True
    return False


def form_of(text):
    """Why the part of a text that is shown is a secret; None: it is none. `text`: an exact str."""
    if len(text) < LEAST:
        return None
    text = text[:LOOKED_AT]
    for marks, find, kind in FORMS:
        for mark in marks:
            if mark in text:
                for found in find(text):
                    if found.start() >= SHOWN:
                        break
                    if kind != 'authorization header' or _mixed(found.group('part')):
                        return 'looks like ' + kind
    return assignment_in(text) if '=' in text or ':' in text else None


def assignment_in(text):
    text = text[:SHOWN + NAME]
    small = text.lower()
    if not any([hint in small for hint in HINTS]) and not any(
            [last in small and any([pair in small for pair in pairs]) for last, pairs in PAIRS]):
        return None
    for found in _assigned(text):
        at = found.start(1)
        if at >= SHOWN:
            return None
        before = text[max(0, at - 40):at]
        name = before[len(before.rstrip(NAME_SIGNS)):].lstrip('0123456789_-')
        if is_assigned(name, found.group(1), found.group(2)):
            return 'assigns "%s"' % name
    return None


def is_assigned(name, sign, value):
    reason = reason_of(name)
    if reason is None or not reason.is_sure or value.lower() in NOTHING:
        return False
    return sign == '=' or bool(_mixed(value)) and len(value) > 3
