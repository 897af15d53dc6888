# Completions of the lh tools for bash, made by "@LH@ completions bash".

# Options, operands, and the kind of the value that the word before wants.
_lh_options() {
	kind= options= operands=none
	case $1 in
@TOOLS@
	esac
}

# These words and nothing else.
_lh_words() {
	compopt +o default 2>/dev/null
	COMPREPLY=($(compgen -W "$1" -- "$cur")) || true
}

_lh_tools() {
	local line kind options operands tool=${COMP_WORDS[0]##*/} first=1 at=$COMP_CWORD
	local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	# "--format=json" is three words.
	case $before in =) before=${COMP_WORDS[at - 2]} ;; esac
	case $cur in =) cur= ;; esac
	case $tool in @LH@)
		first=2 tool=lh-${COMP_WORDS[1]}
		case $at:${COMP_WORDS[1]} in
		1:*) _lh_words '@ROWS@ -h --help -V --version' ;;
@WORDS@
		*) false ;;
		esac && return ;;
	esac
	_lh_options "$tool" "$before"
	case " ${COMP_WORDS[*]:first:at - first} " in *' -- '*) kind=$operands ;; esac
	case $kind:$cur in :-*) kind="words $options" ;; :*) kind=$operands ;; esac
	case $kind in
	words*) _lh_words "${kind#words}" ;;
	none) _lh_words '' ;;
	*)
		compopt -o filenames 2>/dev/null
		COMPREPLY=()
		while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -A "$kind" -- "$cur")
		;;
	esac
}

complete -o default -F _lh_tools @NAMES@
