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

# The ids of these kinds, of all kinds without any, the newest last. A list of several has what each says; what is put on the
# line is an id alone. The list that a terminal printed last stays as it is.
_lh_ids() {
	local line types=()
	for line in $1; do types+=(--type "$line"); done
	compopt +o default -o nosort 2>/dev/null
	COMPREPLY=()
	while IFS= read -r line; do
		case $line in "$cur"*) COMPREPLY+=("$line") ;; esac
	done < <(@LH@ recall --list --json -n 100 "${types[@]}" 2>/dev/null | sed -n '@HEADS@')
	# What is listed is not put on the line.
	case ${#COMPREPLY[@]}:${COMP_TYPE-9} in
	1:* | *:9 | *:37) COMPREPLY=("${COMPREPLY[@]%%	*}") ;;
	*) COMPREPLY=("${COMPREPLY[@]//	/  }") ;;
	esac
}

# The projects that are remembered.
_lh_projects() {
	_lh_words "$(@LH@ recall --list --json 2>/dev/null | sed -n '@PROJECTS@' | sort -u)"
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
		1:*) _lh_words '@ALL@ -h --help -V --version' ;;
@IDS@		*:@1@) case $cur in -*) _lh_words '@2@' ;; *) _lh_ids '@3@' ;; esac ;;
		2:config) _lh_words '@KEYS@' ;;
		3:config)
			case ${COMP_WORDS[2]} in
@VALUES@			@1@) _lh_words '@2@' ;;
			*) _lh_words '' ;;
			esac
			;;
@WORDS@		*:@1@) _lh_words '@2@' ;;
		*) false ;;
		esac && return ;;
	esac
	_lh_options "$tool" "$before"
	case " ${COMP_WORDS[*]:first:at - first} " in *' -- '*) kind=$operands ;; esac
	case $kind:$cur in :-*) kind="words $options" ;; :*) kind=$operands ;; esac
	case $kind in
	words*) _lh_words "${kind#words}" ;;
	ids*) _lh_ids "${kind#ids}" ;;
	project) _lh_projects ;;
	none) _lh_words '' ;;
	*)
		compopt -o filenames 2>/dev/null
		COMPREPLY=()
		while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -A "$kind" -- "$cur")
		;;
	esac
}

complete -o default -F _lh_tools @NAMES@
