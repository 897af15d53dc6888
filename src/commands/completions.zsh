#compdef @NAMES@
# Completions of the lh tools for zsh, made by "@LH@ completions zsh".

_lh_options() {
	local curcontext=$curcontext state line
	case $1 in
@TOOLS@
	*) _default ;;
	esac
}

# The ids of these kinds with what each says, and the projects.
_lh_ids() {
	local -a found types
	local kind
	for kind; do types+=(--type $kind); done
	found=(${(f)"$(@LH@ recall --list --json -n 100 $types 2>/dev/null | sed -n '@HEADS@' | sed 's/:/\\:/g; s/	/:/')"})
	_describe -V id found
}

_lh_projects() {
	compadd -- ${(f)"$(@LH@ recall --list --json 2>/dev/null | sed -n '@PROJECTS@')"}
}

_lh_tools() {
	local -a rows=(
@ROWS@		'@1@:@3@'
	)
	[[ ${service:t} = @LH@ ]] || { _lh_options ${service:t}; return }
	case $CURRENT:$words[2] in
	2:*) _describe command rows; compadd -- -h --help -V --version ;;
@IDS@	*:@1@) _lh_ids @3@ ;;
	3:config) compadd -- @KEYS@ ;;
	4:config)
		case $words[3] in
@VALUES@		@1@) compadd -- @2@ ;;
		esac
		;;
@WORDS@	*:@1@) compadd -- @2@ ;;
	*) shift words; ((CURRENT--)); words[1]=lh-$words[1]; _lh_options $words[1] ;;
	esac
}

_lh_tools "$@"
