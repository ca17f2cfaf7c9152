// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// A token for the local chain and the tests. Like the well-known USDT, its transfers return nothing and it may take a fee of them.
/// The decimals are chosen at creation. Anybody may mint.
contract TestUsdt {
    string public constant name = "Test USDT";
    string public constant symbol = "USDT";
    uint8 public immutable decimals;
    /// Fee of each transfer in hundredths of a percent, deducted from the receiver's amount.
    uint256 public immutable feeBasisPoints;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(uint8 decimals_, uint256 feeBasisPoints_) {
        decimals = decimals_;
        feeBasisPoints = feeBasisPoints_;
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function transfer(address to, uint256 value) external {
        move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
    }

    function move(address from, address to, uint256 value) private {
        uint256 fee = value * feeBasisPoints / 10_000;
        balanceOf[from] -= value;
        balanceOf[to] += value - fee;
        emit Transfer(from, to, value - fee);
        if (fee > 0) {
            totalSupply -= fee;
            emit Transfer(from, address(0), fee);
        }
    }
}

/// A payer who makes two payments in one transaction: two logs, one hash.
contract TestPayer {
    function payTwice(TestUsdt token, address to, uint256 first, uint256 second) external {
        token.transferFrom(msg.sender, to, first);
        token.transferFrom(msg.sender, to, second);
    }

    /// Sends native coin by an internal call, which has no log.
    function passOn(address payable to) external payable {
        (bool done, ) = to.call{value: msg.value}("");
        require(done, "refused");
    }
}
