import type { TreeNode } from '../copy-tree.ts';

const FROZEN = new Set([
  'ERROR',
  'accessibility_modifier',
  'ambient_declaration',
  'abstract_method_signature',
  'asserts_annotation',
  'class_heritage',
  'construct_signature',
  'escape_sequence',
  'export_clause',
  'function_signature',
  'html_character_reference',
  'implements_clause',
  'import',
  'import_alias',
  'import_statement',
  'index_signature',
  'interface_declaration',
  'jsx_closing_element',
  'jsx_text',
  'meta_property',
  'method_signature',
  'namespace_export',
  'nested_type_identifier',
  'property_signature',
  'regex',
  'statement_identifier',
  'string_fragment',
  'type_alias_declaration',
  'type_arguments',
  'type_identifier',
  'type_parameters',
  'type_predicate',
  'type_query',
]);
const TYPE_NODE = /_(type|annotation|type_annotation|type_clause)$/;
const PATTERNS = new Set(['object_pattern', 'array_pattern', 'rest_pattern', 'pair_pattern']);
const TYPED_EXPRESSIONS = new Set(['as_expression', 'satisfies_expression']);
const NAMED = new Set([
  'abstract_class_declaration',
  'class',
  'class_declaration',
  'enum_assignment',
  'enum_declaration',
  'field_definition',
  'function_declaration',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'internal_module',
  'method_definition',
  'module',
  'public_field_definition',
]);
/** Types, imports, names of declarations, parameters and keys, JSX names and texts, decorators but for their arguments. */
export function isFrozenInJavascript(node: TreeNode): boolean {
  if (node.start === node.end || FROZEN.has(node.type) || TYPE_NODE.test(node.type)) return true;
  return node.parent !== undefined && isFrozenPart(node, node.parent);
}

function isFrozenPart(node: TreeNode, parent: TreeNode): boolean {
  if (NAMED.has(parent.type) && (node.field === 'name' || node.field === 'property')) return true;
  if (TYPED_EXPRESSIONS.has(parent.type)) return node !== parent.children[0];
  if (PATTERNS.has(parent.type)) return !isOpenInPattern(node);
  switch (parent.type) {
    case 'assignment_pattern':
    case 'object_assignment_pattern':
      return node.field !== 'right';
    case 'required_parameter':
    case 'optional_parameter':
    case 'variable_declarator':
      return node.field !== 'value' && !PATTERNS.has(node.type);
    case 'formal_parameters':
      return (
        !['required_parameter', 'optional_parameter', 'assignment_pattern'].includes(node.type) &&
        !PATTERNS.has(node.type)
      );
    case 'arrow_function':
      return node.field === 'parameter';
    case 'catch_clause':
      return node.field === 'parameter';
    case 'pair':
      return node.field === 'key' && node.type !== 'computed_property_name';
    case 'decorator':
      return node.type !== 'call_expression';
    case 'call_expression':
      return node.field === 'function' && (parent.parent?.type === 'decorator' || node.type === 'import');
    case 'jsx_opening_element':
    case 'jsx_self_closing_element':
      return node.field === 'name';
    case 'jsx_attribute':
      return node.type !== 'jsx_expression';
    case 'type_assertion':
      return node !== parent.children[parent.children.length - 1];
    case 'export_statement':
      return node.field === 'source';
    default:
      return false;
  }
}

/** In a destructuring pattern only defaults and computed keys are values. */
function isOpenInPattern(node: TreeNode): boolean {
  return (
    PATTERNS.has(node.type) ||
    node.type === 'assignment_pattern' ||
    node.type === 'object_assignment_pattern' ||
    node.type === 'computed_property_name'
  );
}
